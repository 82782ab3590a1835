"""A compiled build of the rules is used only while it is of the source as it stands."""

from pathlib import Path

import pytest

from ops import compiled


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "domain" / "decide").mkdir(parents=True)
    (tmp_path / "domain" / "state.py").write_text("x = 1\n")
    (tmp_path / "domain" / "decide" / "dice.so").write_bytes(b"")
    (tmp_path / "abc__mypyc.so").write_bytes(b"")
    (tmp_path / "domain" / ".compiled").write_text(compiled.source_digest(tmp_path))
    return tmp_path


def test_a_build_of_the_present_source_is_kept(tree: Path) -> None:
    compiled.drop_stale(tree)
    assert compiled.is_current(tree)
    assert len(compiled.built_files(tree)) == 2


def test_a_build_of_another_source_is_thrown_away(tree: Path) -> None:
    (tree / "domain" / "state.py").write_text("x = 2\n")
    compiled.drop_stale(tree)
    assert compiled.built_files(tree) == []


def test_a_start_uses_what_was_compiled_for_its_source(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    builds = tmp_path_factory.mktemp("builds")
    (builds / "domain" / "decide").mkdir(parents=True)
    (builds / "domain" / "decide" / "turns.so").write_bytes(b"new")
    (builds / "domain" / ".compiled").write_text(compiled.source_digest(tree))
    compiled.drop(tree)
    assert compiled.use_prepared({}, tree, builds)
    assert [path.name for path in compiled.built_files(tree)] == ["turns.so"]
    (tree / "domain" / "state.py").write_text("x = 2\n")
    assert not compiled.use_prepared({}, tree, builds)
    assert compiled.built_files(tree) == []


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"CC": "true"}, True),
        ({"CC": "no-such-compiler"}, False),
        ({"CC": "true", "COMPILE_RULES": "no"}, False),
    ],
)
def test_rules_are_compiled_where_there_is_a_compiler_and_nobody_forbids_it(
    environ: dict[str, str], expected: bool
) -> None:
    assert compiled.can_compile(environ) is expected


def test_nothing_is_compiled_if_somebody_forbids_it() -> None:
    assert compiled.is_wanted({})
    assert not compiled.is_wanted({"COMPILE_RULES": "no"})


def test_a_start_that_wants_interpreted_rules_deletes_a_build(tree: Path) -> None:
    assert not compiled.use_prepared({"COMPILE_RULES": "no"}, tree)
    assert compiled.built_files(tree) == []


def test_a_build_without_its_stamp_is_thrown_away(tree: Path) -> None:
    (tree / "domain" / ".compiled").unlink()
    compiled.drop_stale(tree)
    assert compiled.built_files(tree) == []

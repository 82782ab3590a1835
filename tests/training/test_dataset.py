"""The frozen data set: the same bytes from the same seed, real matches, and the results of a real ladder."""

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from domain.audit.files import read_exports
from domain.audit.verify import verify
from domain.ladder.results import read
from domain.ladder.standings import standings
from domain.match.rulesets import CURRENT, digest
from players import weight_files
from runtime.strategies import STRATEGIES, VALUE_FUNCTIONS
from training import frozen_ladder
from training.dataset import DEFAULT_PLAYERS, MANIFEST, PUBLISHED, differences, main
from training.frozen_ladder import LadderPlan, blocks, finished, opened

QUICK = ("--player", "random", "--player", "landmark_first", "--player", "greedy")


def made(folder: Path, *words: str) -> Path:
    assert main([str(folder), "--seats", "2", "--matches", "4", *QUICK, *words]) == 0
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("data set") / "small", "--processes", "1")


@pytest.mark.long
def test_every_ruleset_has_the_tables_and_results_of_its_matches(small: Path) -> None:
    for ruleset in VALUE_FUNCTIONS:
        rows = pq.read_table(small / ruleset / "results").to_pylist()
        assert {row["ruleset"] for row in rows} == {ruleset}
        assert {row["status"] for row in rows} == {"finished"}
        with (small / ruleset / "ladder.ndjson").open("rb") as lines:
            results = read(lines)
        ladder = [match for block in results.blocks for match in block.results]
        assert [match.match_id for match in ladder] == [row["match_id"] for row in rows if row["seat"] == 0]
        winners = {row["match_id"]: row["seat"] for row in rows if row["winner"]}
        assert winners == {match.match_id: match.winner for match in ladder}
        heads = {row["match_id"]: row["head_hash"] for row in rows}
        assert heads == {match.match_id: match.head for match in ladder}
        for match in ladder:
            assert match.luck is not None
            own = [row["luck_coins"] for row in rows if row["match_id"] == match.match_id]
            assert [*match.luck.coins] == pytest.approx([1000 * luck for luck in own], abs=1)
        assert sum([row.wins for row in standings(results).standings]) == 4


def test_the_manifest_names_what_was_played_and_the_digest_of_every_file(small: Path) -> None:
    found = json.loads((small / MANIFEST).read_bytes())
    assert {f"{name}" for name in contents(small)} == {*found["files"], MANIFEST}
    assert found["players"] == {name: STRATEGIES[name].version for name in QUICK[1::2]}
    assert [ladder["seed"] for ladder in found["ladders"]] == [1, 1, 1]


@pytest.mark.long
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_processes(tmp_path: Path) -> None:
    words = ("--ruleset", "base")
    one = contents(made(tmp_path / "one", *words, "--processes", "1"))
    assert contents(made(tmp_path / "two", *words, "--processes", "2")) == one
    assert len(one) == 6


def test_another_seed_gives_other_matches(tmp_path: Path) -> None:
    words = ("--ruleset", "base", "--format", "csv", "--processes", "1")
    one, two = [made(tmp_path / seed, *words, "--seed", seed) for seed in ("1", "2")]
    rolled = [(folder / "base/events/00001.csv").read_bytes() for folder in (one, two)]
    assert rolled[0] != rolled[1]
    found = [json.loads((folder / MANIFEST).read_bytes()) for folder in (one, two)]
    assert differences(*found)[0] == "ladders"
    assert differences(found[0], found[0]) == []


def test_the_matches_pass_an_audit_but_for_the_signature_that_only_a_service_gives() -> None:
    plan = LadderPlan("harbor", 2, 2, 7, ("greedy", "random"))
    ladder = opened(plan)
    frozen_ladder._prepare(plan)
    for rotation in range(2):
        played = frozen_ladder._play(plan, ladder, ladder.round.blocks[0], rotation)
        (evidence,) = read_exports(played.lines)
        report = verify(evidence, lambda *_: False)
        statuses = {check.name: check.status for check in report.checks}
        assert Counter(statuses.values())["failed"] == 0
        assert {name for name, status in statuses.items() if status != "passed"} == {"checkpoint"}


def test_a_block_puts_every_player_once_on_each_seat_and_the_ladder_counts_it() -> None:
    plan = LadderPlan("base", 3, 3, 1, ("random", "landmark_first", "bakery"))
    ladder = opened(plan)
    (block,) = blocks(plan, ladder, 1)
    seats = [[row.player for row in rows.results] for _, rows in block.matches]
    assert all({*column} == {*plan.players} for column in zip(*seats, strict=True))
    (counted,) = finished(ladder, block).round.blocks
    assert counted.results == block.results


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--matches", "1001"), "--matches must be a multiple of 4"),
        (("--player", "greedy"), "a ladder for 4 needs as many different players"),
        (("--processes", "0"), "--processes must be at least 1"),
    ],
)
def test_a_plan_that_is_none_of_a_ladder_is_refused(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "out"), *words])
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_published_manifest_is_of_the_rules_players_and_weights_of_today() -> None:
    """If it is not, make the data set again: `python -m training.dataset FOLDER`, and copy its manifest."""
    found = json.loads(PUBLISHED.read_bytes())
    assert found["rules"] == {ruleset: digest(CURRENT[ruleset]) for ruleset in VALUE_FUNCTIONS}
    assert found["players"] == {name: STRATEGIES[name].version for name in sorted(DEFAULT_PLAYERS)}
    assert found["weights"] == {ruleset: weight_files.digest(ruleset) for ruleset in VALUE_FUNCTIONS}
    assert {ladder["matches"] for ladder in found["ladders"]} == {1000}


def test_a_data_set_with_the_published_plan_is_compared_with_the_published_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--ruleset", "base", "--format", "csv", "--processes", "1")
    first = made(tmp_path / "first", *words)
    assert "published" not in capsys.readouterr().err
    monkeypatch.setattr("training.dataset.PUBLISHED", first / MANIFEST)
    made(tmp_path / "second", *words)
    assert "identical to the published data set" in capsys.readouterr().err
    published = json.loads((first / MANIFEST).read_bytes())
    published["files"]["base/ladder.ndjson"]["sha256"] = "0" * 64
    (tmp_path / "other.json").write_text(json.dumps(published))
    monkeypatch.setattr("training.dataset.PUBLISHED", tmp_path / "other.json")
    made(tmp_path / "third", *words)
    assert "differs from the published data set in base/ladder.ndjson\n" in capsys.readouterr().err

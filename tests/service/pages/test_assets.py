"""The files of the pages, as they lie in the repository: complete, self-contained, and small."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from contract.problems import KINDS
from domain.match.rulesets import CURRENT
from service.pages.assets import FOLDER
from tests.service.pages.rig import LANGUAGES

MOST_LINES = 6_737
MOST_BYTES = 100_000

PLURALS = {
    "en": {"one", "other"},
    "uk": {"one", "few", "many", "other"},
    "ru": {"one", "few", "many", "other"},
    "cs": {"one", "few", "many", "other"},
    "it": {"one", "many", "other"},
}
"""The forms that `Intl.PluralRules` chooses from; Czech has `many` for fractions, Italian for millions."""
FORMS = {"cs": {"one", "few", "other"}, "it": {"one", "other"}}
"""Those that a text must have, where they are fewer: the others fall back to `other`."""

OURS = [*FOLDER.glob("js/*.js"), *FOLDER.glob("css/*.css"), *FOLDER.parent.glob("*.html")]
SCRIPTS = [path for path in OURS if path.suffix == ".js"]
LIBRARIES: list[dict[str, str]] = json.loads((FOLDER / "vendor" / "libraries.json").read_text())

_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*|<!--.*?-->", re.DOTALL)
_NAMED_TEXT = re.compile(r"\bt\(\s*\"([a-z_]+\.[a-z0-9_]+)\"")
_BUILT_TEXT = re.compile(r"\bt\(\s*`([a-z_]+\.[a-z0-9_]*)\$\{")
_CONDITIONAL_TEXT = re.compile(r"\"([a-z_]+\.[a-z0-9_]+)\"")
_MEMBER = re.compile(r"\{(\w+)\}")

Texts = dict[str, dict[str, str | dict[str, str]]]


def texts_of(language: str) -> Texts:
    found: Texts = {}
    for path in paths_of(language):
        found |= json.loads(path.read_text())
    return found


def paths_of(language: str) -> list[Path]:
    """The texts of all pages, and those that only one page needs."""
    return [*FOLDER.glob(f"languages/**/{language}.json")]


def forms_of(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else [*text.values()]


def code_of(path: Path) -> str:
    """The file without its comments."""
    return _COMMENT.sub("", path.read_text())


def addresses_of(texts: Texts) -> set[str]:
    return {f"{section}.{name}" for section, found in texts.items() for name in found}


def test_each_vendored_file_is_the_one_of_its_release() -> None:
    found = {path.name for path in (FOLDER / "vendor").iterdir()} - {"libraries.json"}
    assert {library["file"] for library in LIBRARIES} == found
    for library in LIBRARIES:
        body = (FOLDER / "vendor" / library["file"]).read_bytes()
        assert hashlib.sha256(body).hexdigest() == library["sha256"]
        assert all(library[name] for name in ("name", "version", "licence", "home"))
        assert library["licence"].encode() in body, "its licence goes with it"


def test_the_types_are_those_of_the_vendored_releases() -> None:
    wanted = json.loads((FOLDER.parents[2] / "ops" / "pages" / "package.json").read_text())["devDependencies"]
    for library in LIBRARIES:
        assert wanted[library["name"]] == library["version"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_texts_with_the_same_members(language: str) -> None:
    english, own = texts_of("en"), texts_of(language)
    assert addresses_of(own) == addresses_of(english)
    for section, found in english.items():
        for name, text in found.items():
            wanted = {member for form in forms_of(text) for member in _MEMBER.findall(form)}
            told = {member for form in forms_of(own[section][name]) for member in _MEMBER.findall(form)}
            assert told == wanted, f"{section}.{name}"


def test_every_ruleset_has_a_name_in_each_language() -> None:
    assert texts_of("en")["game"] == {id: ruleset.name for id, ruleset in CURRENT.items()}
    assert all(texts_of(language)["game"].keys() == CURRENT.keys() for language in LANGUAGES)


def test_refusals_are_told_by_codes_that_there_are() -> None:
    assert texts_of("en")["refused"].keys() <= KINDS.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_that_counts_has_the_forms_of_its_language(language: str) -> None:
    english, least = texts_of("en"), FORMS.get(language, PLURALS[language])
    for section, found in texts_of(language).items():
        for name, text in found.items():
            assert isinstance(text, str) == isinstance(english[section][name], str), f"{section}.{name}"
            if isinstance(text, dict):
                assert least <= text.keys() <= PLURALS[language], f"{section}.{name}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_and_no_key_is_there_twice(language: str) -> None:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({name for name, _ in pairs}) == len(pairs)
        return dict(pairs)

    read = [json.loads(path.read_text(), object_pairs_hook=unique) for path in paths_of(language)]
    assert len({section for texts in read for section in texts}) == sum(map(len, read))
    found = [text for texts in read for section in texts.values() for text in section.values()]
    assert all(form.strip() for text in found for form in forms_of(text))


def test_scripts_ask_for_texts_that_there_are_and_for_every_one() -> None:
    there = addresses_of(texts_of("en"))
    code = "\n".join(map(code_of, SCRIPTS))
    assert set(_NAMED_TEXT.findall(code)) <= there
    sections = {address.partition(".")[0] for address in there}
    chosen = {one for one in _CONDITIONAL_TEXT.findall(code) if one.partition(".")[0] in sections}
    assert chosen <= there
    starts = tuple(_BUILT_TEXT.findall(code))
    assert [one for one in starts if not any(address.startswith(one) for address in there)] == []
    assert {address for address in there - chosen if not address.startswith(starts)} == set()


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_nothing_names_another_host(path: Path) -> None:
    code = re.sub(r'xmlns(:\w+)?="[^"]*"', "", code_of(path))
    assert re.findall(r"\bhttps?:|\bwss?:|[\"'`(]//", code) == []


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_nothing_is_inline_and_no_text_becomes_markup_or_code(path: Path) -> None:
    code = code_of(path)
    assert re.findall(r"\sstyle=", code) == []
    assert re.findall(r"<[^<>]*\son\w+=", code) == []
    forbidden = (
        r"\b(?:(?:inner|outer|unsafe)HTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc)"
    )
    assert re.findall(forbidden, code) == []


def test_our_part_stays_small() -> None:
    assert sum(len(path.read_text().splitlines()) for path in OURS) < MOST_LINES


on_every_page = pytest.mark.parametrize(
    "path",
    [
        "/",
        "/new",
        "/matches/mat_0",
        "/matches/mat_0/review",
        "/puzzles",
        "/verify",
        "/ladders",
        "/ladders/lad_0",
        "/account",
    ],
)


@on_every_page
def test_a_page_loads_the_texts_that_its_scripts_name(client: FlaskClient, path: str) -> None:
    loaded = re.findall(r'(?:href|src)="/assets/\w+/([^"]+)"', client.get(path).text)
    code = "\n".join(code_of(FOLDER / name) for name in loaded if name.endswith(".js"))
    sections = {
        one for name in loaded if name.endswith(".json") for one in json.loads((FOLDER / name).read_text())
    }
    named = [*_NAMED_TEXT.findall(code), *_BUILT_TEXT.findall(code)]
    assert {address.partition(".")[0] for address in named} - sections == set()


@on_every_page
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_view_is_small_on_the_wire(client: FlaskClient, path: str, language: str) -> None:
    html = client.get(path).text
    asked = {path, *re.findall(r'(?:href|src)="(/assets/[^"]+)"', html)}
    asked |= {re.sub(r"(/languages/.*)en\.json", rf"\1{language}.json", one) for one in asked}
    answers = [client.get(one, headers={"Accept-Encoding": "gzip"}) for one in asked]
    assert all(answer.status_code == 200 for answer in answers)
    assert sum(len(answer.data) for answer in answers) < MOST_BYTES


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_home_page_names_all_that_can_be_played(language: str) -> None:
    texts = texts_of(language)
    words = re.findall(r"\w+", " ".join(str(game) for game in texts["game"].values()))
    proper = {word for word in words if word[0].isupper() or word.isdigit()}
    assert len(proper) > 4
    assert proper - set(re.findall(r"\w+", str(texts["home"]["lead"]))) == set()

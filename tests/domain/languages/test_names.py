"""What cards are called: complete in every language, and as printed where a printed name is known."""

from pathlib import Path

import pytest

from domain.languages.language import FIRST, SECOND
from domain.languages.names import LANGUAGES, card_name, cs, it, ru, uk
from domain.match.rulesets import CURRENT, VERSIONS, Ruleset
from tests.domain.alphabets import strange_letters

PRINTED_FILE = Path(__file__).parents[1] / "golden" / "printed_names.txt"

TABLES = {"uk": uk.NAMES, "ru": ru.NAMES, "cs": cs.NAMES, "it": it.NAMES}
RULESETS = {
    FIRST: ("base", "harbor", "millionaires_row", "harbor_millionaires_row"),
    SECOND: ("machi_koro_2",),
}


def card_ids(ruleset: Ruleset) -> list[str]:
    return [card.id for card in (*ruleset.establishments, *ruleset.landmarks)]


def printed_names() -> dict[tuple[str, str, str], str]:
    """By ruleset, card and language."""
    lines = [line for line in PRINTED_FILE.read_text().splitlines() if not line.startswith("#")]
    rows = [line.split(" ", 3) for line in lines]
    return {
        (ruleset, card, language): name
        for game, card, language, name in rows
        for ruleset in RULESETS[game]
        if card in card_ids(CURRENT[ruleset])
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_card_has_a_name_of_its_own_in_every_language(version: str, language: str) -> None:
    ids = card_ids(VERSIONS[version])
    names = [card_name(VERSIONS[version], id, language).name for id in ids]

    assert all(names)
    assert len(set(names)) == len(ids)


@pytest.mark.parametrize(("where", "name"), printed_names().items(), ids=lambda value: "-".join(value))
def test_a_card_is_called_as_printed_where_a_printed_name_is_known(
    where: tuple[str, str, str], name: str
) -> None:
    ruleset, card, language = where
    told = card_name(CURRENT[ruleset], card, language)

    assert (told.name, told.is_ours) == (name, False)


def test_every_other_name_is_marked_as_ours_but_the_english_of_the_catalogue() -> None:
    printed = printed_names()
    ours = {
        (ruleset.id, card, language)
        for ruleset in CURRENT.values()
        for card in card_ids(ruleset)
        for language in LANGUAGES
        if card_name(ruleset, card, language).is_ours
    }
    every = {(id, card, to) for id, book in CURRENT.items() for card in card_ids(book) for to in LANGUAGES}

    assert every - ours == printed.keys() | {where for where in every if where[2] == "en"}


def test_english_names_are_those_of_the_catalogue() -> None:
    for ruleset in CURRENT.values():
        for card in (*ruleset.establishments, *ruleset.landmarks):
            assert card_name(ruleset, card.id, "en").name == card.name


@pytest.mark.parametrize("language", TABLES)
@pytest.mark.parametrize("game", RULESETS)
def test_the_tables_name_each_card_of_the_game_once_and_no_other(game: str, language: str) -> None:
    printed, ours = TABLES[language].printed[game], TABLES[language].ours[game]

    assert not printed.keys() & ours.keys()
    assert printed.keys() | ours.keys() == {id for name in RULESETS[game] for id in card_ids(CURRENT[name])}


def test_one_card_may_be_called_differently_in_the_two_games() -> None:
    names = {card_name(CURRENT[ruleset], "radio_tower", "ru").name for ruleset in RULESETS[FIRST]}

    assert names == {"Радио-вышка"}
    assert card_name(CURRENT["machi_koro_2"], "radio_tower", "ru").name == "Радиовышка"


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_spelled_in_the_alphabet_of_their_language(language: str) -> None:
    names = {card_name(book, id, language).name for book in CURRENT.values() for id in card_ids(book)}

    assert {name: strange for name in names if (strange := strange_letters(language, name))} == {}
    assert [name for name in names if not name[0].isupper() or name != " ".join(name.split())] == []


@pytest.mark.parametrize(("card", "language"), [("launch_pad", "en"), ("launch_pad", "uk"), ("bakery", "de")])
def test_a_card_or_language_that_is_not_there_has_no_name(card: str, language: str) -> None:
    with pytest.raises(KeyError):
        card_name(CURRENT["base"], card, language)

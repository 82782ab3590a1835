"""What cards do, told in every language: complete, with the card's own numbers, in the right plurals."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.languages.names import LANGUAGES, card_name
from domain.languages.texts import WORDINGS, card_text
from domain.languages.texts.forms import form
from domain.match.cards import Card, Effect
from domain.match.rulesets import CURRENT, Ruleset
from tests.domain.alphabets import strange_letters

GOLDEN = Path(__file__).parents[1] / "golden" / "card_texts.txt"

CARDS: list[tuple[Ruleset, Card]] = [
    (ruleset, card) for ruleset in CURRENT.values() for card in (*ruleset.establishments, *ruleset.landmarks)
]
OTHERS = LANGUAGES[1:]


def told() -> str:
    """Every card in every language; a star marks a name that is ours."""
    return "".join(
        f"\n{ruleset.id} {card.id}\n" + "".join(_line(ruleset, card, language) for language in LANGUAGES)
        for ruleset, card in CARDS
    ).lstrip()


def _line(ruleset: Ruleset, card: Card, language: str) -> str:
    name = card_name(ruleset, card.id, language)
    star = "*" if name.is_ours else " "
    return f"  {language}{star} {name.name}. {card_text(ruleset, card, language)}\n"


def _texts(language: str) -> dict[tuple[str, str], str]:
    return {(ruleset.id, card.id): card_text(ruleset, card, language) for ruleset, card in CARDS}


def test_all_names_and_texts_are_as_reviewed() -> None:
    assert told() == GOLDEN.read_text(), "read what changed, then: make golden"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_sentence_for_every_form_of_effect_and_for_no_other(language: str) -> None:
    assert WORDINGS[language].sentences.keys() == {form(card) for _, card in CARDS}


def test_a_card_that_counts_others_without_a_boost_would_need_a_sentence_of_its_own() -> None:
    shop, *again = [card for _, card in CARDS if form(card) == "per_counted:card_boosted_each"]

    assert {*again} == {shop}
    assert form(replace(shop, effect=replace(shop.effect, boost_per_counted=False))) == "per_counted:card"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_word_for_every_sign_and_for_no_other(language: str) -> None:
    assert WORDINGS[language].signs.keys() == {card.symbol for _, card in CARDS if card.symbol}


def test_there_are_words_for_the_languages_of_names() -> None:
    assert list(WORDINGS) == list(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_is_a_sentence(language: str) -> None:
    for text in _texts(language).values():
        assert text[0].isupper()
        assert text.endswith(".")
        assert "." not in text[:-1]
        assert text == " ".join(text.split())
        assert not set(text) & set("{}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_tells_the_numbers_signs_and_cards_of_the_effect(language: str) -> None:
    words = WORDINGS[language]
    for ruleset, card in CARDS:
        effect, text = card.effect, card_text(ruleset, card, language)
        members = (
            effect.amount,
            effect.threshold,
            effect.below_landmarks,
            effect.roller_landmarks,
            effect.bonus,
        )
        numbers = [str(number) for number in members if number]
        signs = [words.signs[symbol] for symbol in effect.symbols]
        cards = [id for id in (*effect.cards, effect.requires) if id]
        names = [card_name(ruleset, id, language).name.join(words.quotes) for id in cards]

        assert [told for told in (*numbers, *signs, *names) if told not in text] == [], card.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_have_the_same_text_only_if_they_do_the_same(language: str) -> None:
    effects: dict[str, set[tuple[str, Effect]]] = {}
    for ruleset, card in CARDS:
        text = card_text(ruleset, card, language)
        effects.setdefault(text, set()).add((form(card), card.effect))

    assert {text: found for text, found in effects.items() if len(found) > 1} == {}


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_left_in_english(language: str) -> None:
    english = _texts("en")

    assert [where for where, text in _texts(language).items() if text == english[where]] == []
    assert not set(WORDINGS[language].sentences.values()) & set(WORDINGS["en"].sentences.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_spelled_in_the_alphabet_of_their_language(language: str) -> None:
    texts = set(_texts(language).values()) | set(WORDINGS[language].signs.values())

    assert {text: strange for text in texts if (strange := strange_letters(language, text))} == {}


COINS = {
    "en": {"1 coin": [1], "{} coins": [0, 2, 4, 5, 11, 12, 14, 21, 22, 25, 100, 101, 111, 112, 122]},
    "it": {"1 moneta": [1], "{} monete": [0, 2, 4, 5, 11, 12, 14, 21, 22, 25, 100, 101, 111, 112, 122]},
    "cs": {
        "1 minci": [1],
        "{} mince": [2, 3, 4],
        "{} mincí": [0, 5, 11, 12, 14, 21, 22, 25, 100, 101, 102, 111, 112, 122],
    },
    "uk": {
        "{} монету": [1, 21, 31, 101, 121],
        "{} монети": [2, 3, 4, 22, 24, 33, 102, 122],
        "{} монет": [0, 5, 9, 10, 11, 12, 13, 14, 19, 20, 25, 100, 111, 112, 114, 211],
    },
    "ru": {
        "{} монету": [1, 21, 31, 101, 121],
        "{} монеты": [2, 3, 4, 22, 24, 33, 102, 122],
        "{} монет": [0, 5, 9, 10, 11, 12, 13, 14, 19, 20, 25, 100, 111, 112, 114, 211],
    },
}


@pytest.mark.parametrize(
    ("language", "expected", "count"),
    [
        (language, form, count)
        for language, forms in COINS.items()
        for form, counts in forms.items()
        for count in counts
    ],
)
def test_coins_have_the_plural_of_their_number(language: str, expected: str, count: int) -> None:
    assert WORDINGS[language].coins(count) == expected.format(count)


def _noun(language: str, count: int) -> str:
    number, noun = WORDINGS[language].coins(count).split(" ")
    assert number == str(count)
    return noun


@given(st.sampled_from(["uk", "ru"]), st.integers(0, 10**6))
def test_in_ukrainian_and_russian_the_last_two_digits_decide_and_beyond_twenty_the_last(
    language: str, count: int
) -> None:
    last_two = count % 100

    assert _noun(language, count) == _noun(language, last_two)
    if last_two > 20:
        assert _noun(language, count) == _noun(language, last_two % 10)


@given(st.sampled_from(["en", "cs", "it"]), st.integers(5, 10**6))
def test_in_english_czech_and_italian_all_numbers_from_five_on_are_alike(language: str, count: int) -> None:
    assert _noun(language, count) == _noun(language, 5) == _noun(language, 0)


def test_all_three_plurals_stand_in_texts() -> None:
    for language, forms in COINS.items():
        texts = " ".join(_texts(language).values())
        assert [form for form in forms if form.replace("{} ", "") not in texts] == []


def test_a_language_that_is_not_there_has_no_text() -> None:
    with pytest.raises(KeyError):
        card_text(*CARDS[0], "de")

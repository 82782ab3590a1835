"""A match told in every language: each event in one sentence, with every fact of it, in the right plurals."""

import re
from collections.abc import Iterator

import msgspec
import pytest

from domain import MatchState, fold
from domain.languages.names import LANGUAGES, card_name
from domain.languages.narrate import TELLERS, TELLINGS, narrate, seat_of
from domain.languages.texts import WORDINGS
from domain.match import events as ev
from domain.match.events import REGISTRY, Event
from domain.match.evolve import begin
from domain.match.rulesets import VERSIONS
from tests.domain import narration_samples
from tests.domain.alphabets import strange_letters
from tests.domain.golden_matches import RECIPES
from tests.domain.narration_samples import CREATIONS, HANDLES, Moment, form_of, moments, parts_in

OTHERS = LANGUAGES[1:]

SAMPLES = narration_samples.samples()

TOLD_WHOLE = (
    "base_card_costs",
    "harbor_scripted_dice",
    "machi_koro_2_scripted_dice",
    "millionaires_row_scripted_dice",
)
"""The recorded matches that are kept as they are told in English, one of each game."""

SEATS = ("seat", "from_seat", "to_seat", "with_seat", "target", "first_seat", "winner")
CARDS = ("card", "give", "take", "landmark", "establishment")
NUMBERS = ("coins", "paid", "price", "total", "turn", "owed", "round")


def kinds() -> str:
    """One sentence of each form, in every language."""
    return "".join(
        f"\n{name}\n" + "".join(f"  {language} {told(moment, language)}\n" for language in LANGUAGES)
        for name, moment in SAMPLES.items()
    ).lstrip()


def told_whole(name: str) -> str:
    """A recorded match in English, an event a line."""
    return "".join(f"{i:4} {told(moment, 'en')}\n" for i, moment in enumerate(moments(name), 1))


def told(moment: Moment, language: str) -> str:
    return narrate(moment.event, moment.before, language)


def golden_texts() -> dict[str, str]:
    """What the files hold, by name."""
    return {"kinds": kinds()} | {name: told_whole(name) for name in TOLD_WHOLE}


@pytest.mark.parametrize("name", ["kinds", *TOLD_WHOLE])
def test_matches_are_told_as_reviewed(name: str) -> None:
    recorded = (narration_samples.FOLDER / f"{name}.txt").read_text()

    assert golden_texts()[name] == recorded, "read what changed, then: make golden"


def test_every_type_of_event_is_told() -> None:
    assert TELLERS.keys() == {*REGISTRY.values()}


def test_a_match_is_told_in_the_languages_of_names() -> None:
    assert list(TELLINGS) == list(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_sentence_for_every_form_of_event_and_for_no_other(language: str) -> None:
    assert TELLINGS[language].sentences.keys() == {form_of(moment) for moment in SAMPLES.values()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_part_for_all_that_a_new_match_can_be_and_for_nothing_else(
    language: str,
) -> None:
    parts = {form for created in CREATIONS.values() for form in parts_in(created)}

    assert TELLINGS[language].parts.keys() == parts
    assert TELLINGS[language].games.keys() == {ruleset.id for ruleset in VERSIONS.values()}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", RECIPES)
def test_every_event_of_a_match_is_one_sentence_with_all_its_facts(name: str, language: str) -> None:
    for moment in moments(name):
        text = told(moment, language)
        assert is_sentence(text), text
        assert [fact for fact in facts_of(moment, language) if fact not in text] == [], text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_of_any_form_is_one_and_has_all_facts_of_its_event(language: str) -> None:
    for form, moment in SAMPLES.items():
        text = told(moment, language)
        assert is_sentence(text), text
        assert [fact for fact in facts_of(moment, language) if fact not in text] == [], form


def is_sentence(text: str) -> bool:
    """Whether it begins with a capital letter or a player, and ends with its only full stop.

    The point of a fraction is none: `0:03.5`.
    """
    begins = text[0].isupper() or text.startswith(HANDLES)
    is_plain = text == " ".join(text.split()) and not set(text) & set("{}")
    return begins and is_plain and re.findall(r"\.(?!\d)", text) == ["."] and text.endswith(".")


def facts_of(moment: Moment, language: str) -> Iterator[str]:
    """What has to stand in the sentence: names, cards, coins, numbers."""
    before, event = moment
    members = msgspec.structs.asdict(event)
    for name, value in members.items():
        if name in SEATS and before.controllers and not isinstance(event, ev.MatchCreated | ev.SeatTaken):
            yield from [HANDLES[value]]
        elif name in CARDS and value:
            yield card_name(before.rules.ruleset, value, language).name
        elif name in NUMBERS and isinstance(value, int) and not is_left_out(event, name):
            yield str(value)
    if isinstance(event, ev.MarketRefilled):
        yield from [card_name(before.rules.ruleset, card, language).name for card in event.cards]
    if isinstance(event, ev.DiceRolled):
        yield from [HANDLES[before.active], *map(str, event.values)]
    if isinstance(event, ev.DiceRevealed):
        yield event.seed


def is_left_out(event: Event, name: str) -> bool:
    """Nothing is said of what is 0; and what is owed and paid is said once."""
    value = getattr(event, name)
    return value == 0 or isinstance(event, ev.ChoiceRequested)


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_is_left_in_english(language: str) -> None:
    english = TELLINGS["en"]
    sentences = TELLINGS[language].sentences.items() | TELLINGS[language].parts.items()

    assert not sentences & (english.sentences.items() | english.parts.items())
    assert [name for name, moment in SAMPLES.items() if told(moment, language) == told(moment, "en")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_spelled_in_the_alphabet_of_their_language(language: str) -> None:
    """Handles and hex digits are Latin everywhere, so they are taken out where no other word is."""
    telling = TELLINGS[language]
    words = [re.sub(r"\{\w+\}", "", text) for text in (*telling.sentences.values(), *telling.parts.values())]
    words += [*telling.games.values(), *telling.units, re.sub(r"\{\w+\}", "", telling.same_name)]
    words += [form(count, "") for form in (telling.cards,) for count in (1, 2, 5)]
    words += [telling.players(count) for count in (1, 2, 5)]

    assert {text: strange for text in words if (strange := strange_letters(language, text))} == {}


COUNTS = (0, 1, 2, 5, 11, 21, 22, 25)

CARDS_TOLD = {
    "en": ["0 {} cards", "the {}", *(f"{count} {{}} cards" for count in COUNTS[2:])],
    "it": ["0 carte {}", "la carta {}", *(f"{count} carte {{}}" for count in COUNTS[2:])],
    "cs": [
        "0 karet {}",
        "kartu {}",
        "2 karty {}",
        *(f"{count} karet {{}}" for count in COUNTS[3:]),
    ],
    "uk": [
        "0 карт {}",
        "карту {}",
        "2 карти {}",
        "5 карт {}",
        "11 карт {}",
        "21 карту {}",
        "22 карти {}",
        "25 карт {}",
    ],
    "ru": [
        "0 карт {}",
        "карту {}",
        "2 карты {}",
        "5 карт {}",
        "11 карт {}",
        "21 карту {}",
        "22 карты {}",
        "25 карт {}",
    ],
}

PLAYERS_TOLD = {
    "en": "0 players, 1 player, 2 players, 5 players, 11 players, 21 players, 22 players, 25 players",
    "it": "0 giocatori, 1 giocatore, 2 giocatori, 5 giocatori, 11 giocatori, 21 giocatori, 22 giocatori, "
    "25 giocatori",
    "cs": "0 hráčů, 1 hráče, 2 hráče, 5 hráčů, 11 hráčů, 21 hráčů, 22 hráčů, 25 hráčů",
    "uk": "0 гравців, 1 гравця, 2 гравців, 5 гравців, 11 гравців, 21 гравця, 22 гравців, 25 гравців",
    "ru": "0 игроков, 1 игрока, 2 игроков, 5 игроков, 11 игроков, 21 игрока, 22 игроков, 25 игроков",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_and_players_have_the_plural_of_their_number(language: str) -> None:
    telling = TELLINGS[language]

    assert [telling.cards(count, "X") for count in COUNTS] == [
        told.format("X") for told in CARDS_TOLD[language]
    ]
    assert ", ".join([telling.players(count) for count in COUNTS]) == PLAYERS_TOLD[language]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", COUNTS)
def test_coins_and_cards_stand_in_the_plural_of_their_number_wherever_they_are_told(
    language: str, count: int
) -> None:
    before = SAMPLES["help_received:card"].before
    bakeries = card_name(before.rules.ruleset, "bakery", language).name.join(WORDINGS[language].quotes)
    for_cards: list[Event] = [
        ev.IncomeReceived(0, "bakery", count, count),
        ev.PaymentMade(1, 0, "bakery", count, count, count),
        ev.PaymentMade(1, 0, "bakery", count, count + 3, count),
    ]
    others: list[Event] = [
        ev.EstablishmentBuilt(0, "cafe", count),
        ev.LandmarkBuilt(0, "harbor", count),
        ev.HelpReceived(0, count),
        ev.CoinsLevelled(0, "cafe", (count,) * 4, count),
    ]
    told = [narrate(event, before, language) for event in (*for_cards, *others)]

    if count:
        assert [text for text in told if WORDINGS[language].coins(count) not in text] == []
    assert [text for text in told[:3] if TELLINGS[language].cards(count, bakeries) not in text] == []


def seated(*names: str) -> MatchState:
    """A match that these have sat down to."""
    created = narration_samples.creation("base", len(names))
    taken = [ev.SeatTaken(seat, "account", f"acc_{name}", name) for seat, name in enumerate(names)]
    return fold(None, (created, *taken))


@pytest.mark.parametrize(
    ("language", "label"),
    [
        ("en", "ada (seat {})"),
        ("uk", "ada (місце {})"),
        ("ru", "ada (место {})"),
        ("cs", "ada (místo {})"),
        ("it", "ada (posto {})"),
    ],
)
def test_players_of_one_name_are_told_apart_by_their_seats(language: str, label: str) -> None:
    table = seated("ada", "bob", "ada")
    paid = narrate(ev.PaymentMade(2, 0, "cafe", 1, 1, 1), table, language)

    assert label.format(0) in paid
    assert label.format(2) in paid
    assert "(" not in narrate(ev.BuildPassed(1), table, language)


def test_a_player_is_called_as_who_has_the_seat_at_that_time() -> None:
    table = seated("ada", "bob")
    changed = ev.ControllerChanged(0, "strategy", "greedy", "greedy", "1")
    sentences = [narrate(changed, table, "en"), narrate(ev.BuildPassed(0), fold(table, (changed,)), "en")]

    assert sentences == [
        "From now on the built-in player greedy plays seat 0 instead of ada.",
        "greedy builds nothing.",
    ]


@pytest.mark.parametrize("name", ["-_-", "{name}", "%s", "{0.__class__}", "Іван", "a" * 32, "«»"])
def test_a_name_is_told_as_it_is_whatever_it_looks_like(name: str) -> None:
    table = seated(name, "bob")

    assert narrate(ev.BuildPassed(0), table, "uk") == f"{name} нічого не будує."
    assert narrate(ev.SeatTaken(1, "account", "acc_1", name), table, "en") == f"{name} takes seat 1."


@pytest.mark.parametrize(
    ("time_ms", "english", "czech"),
    [
        (1000, "1 s", "1 s"),
        (1500, "1.5 s", "1,5 s"),
        (30_000, "30 s", "30 s"),
        (60_000, "1 min", "1 min"),
        (90_001, "90.001 s", "90,001 s"),
        (7_200_000, "2 h", "2 h"),
        (86_400_000, "24 h", "24 h"),
    ],
)
def test_a_clock_is_told_in_the_largest_unit_that_fits(time_ms: int, english: str, czech: str) -> None:
    created = narration_samples.creation("base", 2, clock=ev.Clock(time_ms, "forfeit"))

    for language, time in (("en", english), ("cs", czech)):
        assert f" {time} " in narrate(created, begin(created), language)


def test_equal_cards_are_told_together() -> None:
    refilled = ev.MarketRefilled("market", ("cafe", "mine", "cafe", "forest"))

    assert (
        narrate(refilled, seated("ada", "bob"), "en")
        == "New in the market: 2 \N{MULTIPLICATION SIGN} Café, Mine, Forest."
    )


def test_an_event_is_about_who_acts_or_about_nobody() -> None:
    about = {name: seat_of(moment.event, moment.before) for name, moment in SAMPLES.items()}
    whole = {name.partition(":")[0].partition(",")[0] for name, seat in about.items() if seat is None}
    thrown, paid = SAMPLES["dice_rolled:roll:one"], SAMPLES["payment_made"]

    assert whole == {
        "match_created",
        "match_started",
        "branch_started",
        "tokens_placed",
        "market_refilled",
        "match_aborted",
        "dice_revealed",
    }
    assert about["dice_rolled:roll:one"] == thrown.before.active
    assert isinstance(paid.event, ev.PaymentMade)
    assert about["payment_made"] == paid.event.from_seat


def test_a_language_that_is_not_there_tells_nothing() -> None:
    with pytest.raises(KeyError):
        narrate(ev.BuildPassed(0), seated("ada", "bob"), "de")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The time bank of ada grows by 0:00.5 to 0:03.5."),
        ("cs", "Časová rezerva hráče ada roste o 0:00,5: nyní 0:03,5."),
    ],
)
def test_fractions_of_a_second_in_the_time_bank_are_told(language: str, sentence: str) -> None:
    before = next(one.before for one in SAMPLES.values() if isinstance(one.event, ev.BankChanged))
    told = narrate(ev.BankChanged(1, 0, 500, 3_500), before, language)
    assert told == sentence.replace("ada", HANDLES[1])


def test_a_time_bank_is_told_in_minutes_and_seconds() -> None:
    before = next(one.before for one in SAMPLES.values() if isinstance(one.event, ev.BankChanged))
    told = narrate(ev.BankChanged(0, 61_001, 0, 600_000), before, "en")
    assert told.endswith(" uses 1:01.001 of the time bank: 10:00 left.")

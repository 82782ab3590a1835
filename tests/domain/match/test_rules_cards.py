"""The catalogue against the printed cards, and every establishment firing on its totals and on no other."""

from itertools import product

import pytest

from domain.match import events as ev
from domain.match.cards import Card
from domain.match.commands import AddTwo, KeepTotal, RollDice
from domain.match.rulesets import CURRENT
from tests.domain.kit import A, B, Scene, city, given, new_match
from tests.domain.reference_cards import ESTABLISHMENTS, LANDMARKS, Fact, LandmarkFact

EFFECTS = {
    "bank": "from_bank",
    "symbol": "per_counted",
    "card": "per_counted",
    "roller": "from_roller",
    "each": "from_each",
    "one": "from_one",
    "swap": "swap",
    "each_symbol": "from_each_per_symbol",
    "half": "half_from_each",
    "boats": "boats",
}

RULESETS = ("base", "harbor", "machi_koro_2")


def _cards(ruleset: str, kind: str) -> dict[str, Card]:
    book = CURRENT[ruleset]
    return {card.id: card for card in (*book.establishments, *book.landmarks) if card.kind == kind}


PRINTED = [(ruleset, fact) for ruleset in RULESETS for fact in ESTABLISHMENTS[ruleset]]
PRINTED_LANDMARKS = [(ruleset, fact) for ruleset in RULESETS for fact in LANDMARKS[ruleset]]


@pytest.mark.parametrize(("ruleset", "fact"), PRINTED, ids=lambda value: getattr(value, "id", value))
def test_establishments_are_as_printed(ruleset: str, fact: Fact) -> None:
    card = _cards(ruleset, "establishment")[fact.id]
    copies = {id: kept for row in _rows(ruleset) for id, kept in row.items()}

    assert (card.activation, card.colour, card.symbol) == (fact.totals, fact.colour, fact.symbol)
    assert card.cost == (fact.cost,)
    assert copies[fact.id] == fact.copies
    assert (card.effect.kind, card.effect.requires) == (EFFECTS[fact.effect], fact.needs)
    if fact.effect == "half":
        assert card.effect.threshold == fact.amount
    else:
        assert card.effect.amount == fact.amount
    assert card.effect.cards + card.effect.symbols == fact.about


@pytest.mark.parametrize(
    ("ruleset", "fact"), PRINTED_LANDMARKS, ids=lambda value: getattr(value, "id", value)
)
def test_landmarks_are_as_printed(ruleset: str, fact: LandmarkFact) -> None:
    card = _cards(ruleset, "landmark")[fact.id]

    assert card.cost == fact.cost
    assert (card.effect.kind, card.colour == "orange") == (fact.effect, fact.orange)
    amount = card.effect.threshold if fact.effect == "half_from_each" else card.effect.amount
    assert amount == fact.amount
    assert card.effect.cards + card.effect.symbols == fact.about


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_card_is_there_that_is_not_printed(ruleset: str) -> None:
    establishments = [fact.id for fact in ESTABLISHMENTS[ruleset]]
    extra = ["town_hall"] if ruleset == "harbor" else []

    assert sorted(_cards(ruleset, "establishment")) == sorted(establishments + extra)
    assert sorted(_cards(ruleset, "landmark")) == sorted(fact.id for fact in LANDMARKS[ruleset])


@pytest.mark.parametrize("ruleset", ["base", "harbor"])
def test_the_cards_with_the_tower_sign_are_the_purple_ones_the_town_hall_and_the_landmarks(
    ruleset: str,
) -> None:
    book = CURRENT[ruleset]
    tower = {card.id for card in (*book.establishments, *book.landmarks) if card.symbol == "tower"}
    purple = {fact.id for fact in ESTABLISHMENTS[ruleset] if fact.colour == "purple"}
    town_hall = {"town_hall"} if ruleset == "harbor" else set()

    assert tower == purple | town_hall | {fact.id for fact in LANDMARKS[ruleset]}


@pytest.mark.parametrize(
    ("ruleset", "options", "reserve"),
    [
        ("base", {"box": "four_player"}, 84),
        ("base", {"box": "five_player"}, 87),
        ("harbor", {}, 87 + 58),
        ("base", {"box": "four_player", "market": "limited"}, 84),
        ("harbor", {"market": "limited"}, 87 + 58),
    ],
)
def test_the_reserve_holds_all_cards_of_the_box(ruleset: str, options: dict[str, str], reserve: int) -> None:
    assert sum(sum(stacks.values()) for stacks in _rows(ruleset, **options)) == reserve


def test_the_second_game_has_46_low_and_40_high_establishments_and_20_landmarks() -> None:
    low, high, landmarks = _rows("machi_koro_2")

    assert [sum(row.values()) for row in (low, high, landmarks)] == [46, 40, 20]
    assert len(low) + len(high) == 20


def _rows(ruleset: str, **options: str) -> list[dict[str, int]]:
    """What the market and its decks hold when a match starts, by row."""
    scene = new_match(ruleset, 4, options=options)
    started = next(event for event in scene.events if isinstance(event, ev.MatchStarted))
    market = CURRENT[ruleset].markets[options.get("market", next(iter(CURRENT[ruleset].markets)))]
    return [{id: started.supply.get(id, 0) + started.decks.get(id, 0) for id in row.cards} for row in market]


# One seat holds two copies, on its own turn and on the other's; what follows is worked out from the facts.

PURSE = 30
COPIES = 2
COUNTED = {
    "cow": "ranch",
    "gear": "forest",
    "wheat": "wheat_field",
    "cup": "cafe",
    "flower": "flower_garden",
    "fruit": "vineyard",
    "flower_garden": "flower_garden",
    "bread": "bakery",
}


def _throw(total: int) -> tuple[int, ...]:
    """A throw of that total that is no double."""
    if total <= 6:
        return (total,)
    return {12: (6, 6)}.get(total, (6, total - 6))


def _expected(fact: Fact, total: int, owner: int, counted: dict[str, int]) -> list[ev.Event]:
    """The coins that move because of the card when A rolls; A and B have PURSE coins each."""
    if total not in fact.totals:
        return []
    copies = 1 if fact.symbol == "tower" else COPIES
    if fact.effect == "roller":
        owed = copies * fact.amount
        return [ev.PaymentMade(A, B, fact.id, copies, owed, owed)] if owner == B else []
    if owner == B and fact.colour != "blue":
        return []
    if fact.effect in ("bank", "symbol", "card"):
        count = 1 if fact.effect == "bank" else sum(counted.values())
        return [ev.IncomeReceived(owner, fact.id, copies, copies * fact.amount * count)]
    if fact.effect == "half":
        first, second = PURSE // 2, (PURSE - PURSE // 2) // 2
        halves = [first, second][:copies] if second >= 6 else [first]
        return [ev.PaymentMade(B, A, fact.id, 1, half, half) for half in halves]
    owed = copies * fact.amount * (1 if fact.effect == "each" else 2)
    return [ev.PaymentMade(B, A, fact.id, copies, owed, owed)]


@pytest.mark.parametrize("owner", [A, B], ids=["own_turn", "other_turn"])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_establishment_fires_on_its_totals_alone_and_on_the_turns_of_its_colour(
    ruleset: str, owner: int
) -> None:
    highest = 14 if ruleset == "harbor" else 12
    for fact, total in product(ESTABLISHMENTS[ruleset], range(1, highest + 1)):
        if fact.effect in ("swap", "one", "boats"):
            continue
        counted = {COUNTED[about]: 3 for about in fact.about if fact.effect in ("symbol", "card")}
        copies = 1 if fact.symbol == "tower" else COPIES
        towns: list[dict[str, int]] = [{}, {}]
        towns[owner] = {**counted, fact.id: copies + counted.get(fact.id, 0)}
        if fact.effect == "each_symbol":
            towns[1 - owner] = {COUNTED[about]: 1 for about in fact.about}
        landmarks = {"base": ("train_station",), "harbor": ("train_station", "harbor")}.get(ruleset, ())
        scene = given(ruleset, *[city(PURSE, *landmarks, **town) for town in towns])
        scene = _rolled(scene, total)
        found = [event for event in scene.events if getattr(event, "card", "") == fact.id]

        assert found == _expected(fact, total, owner, counted), (fact, total)


def _rolled(scene: Scene, total: int) -> Scene:
    """A throws the total; 13 and 14 are thrown as 11 and 12 with the Harbor's 2."""
    throw = _throw(total if total < 13 else total - 2)
    rolled = scene.when(RollDice(A, len(throw)), dice=[throw])
    if rolled.state.phase != "add_two":
        return rolled
    return rolled.when(AddTwo(A) if total > 12 else KeepTotal(A))

"""Every choice that the rules give to a player, made at the table by clicks and by keys."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, Response, expect

from domain.match.commands import PLAY_COMMANDS
from tests.marks import long_unless
from tests.service.contract import Account
from tests.service.pages.seats import reach, sign_in_as

CITY: Final = {"coins": 30, "establishments": {"wheat_field": 1}, "landmarks": []}
TOWN: Final = {"coins": 30, "establishments": {"town_hall": 1}, "landmarks": []}
ROLL: Final = "[data-command=roll_dice] >> nth=0"
ROLL_TWO: Final = "[data-command=roll_dice] >> nth=1"
PASS: Final = "[data-command=pass]"
RESIGN: Final = ("#tab-more", "summary:text('Resign')", "details button:text('Resign')")
TRADE: Final = "[data-command=swap_establishments]"


def of_market(card: str) -> str:
    return f".market [data-card={card}].can"


def of_city(seat: int, card: str) -> str:
    return f".city[data-seat='{seat}'] [data-card={card}].can"


class Choice(NamedTuple):
    """What is acted on in a position of the active seat 0, and what has to come of it."""

    acts: tuple[str, ...]
    """Selectors, in order."""
    command: dict[str, Any]
    """Members of the last command that is sent."""
    event: dict[str, Any]
    """Members of an event that follows, and of its data."""
    ruleset: str = "base"
    phase: str = "roll"
    throws: tuple[tuple[int, ...], ...] = ()
    cities: tuple[dict[str, Any], ...] = (CITY, CITY)
    options: dict[str, Any] = {}  # noqa: RUF012  # nobody changes it
    market: dict[str, Any] | None = None


def city(of: dict[str, Any] = CITY, **more: Any) -> dict[str, Any]:
    """A city with other coins or landmarks, or with more establishments."""
    establishments = {**of["establishments"], **more.pop("establishments", {})}
    return {**of, **more, "establishments": establishments}


def building(card: str, event: dict[str, Any], *cities: dict[str, Any], **more: Any) -> Choice:
    """A landmark of Machi Koro 2 is built, and does at once what it does."""
    rows = {"low": {"bakery": 1}, "high": {"mine": 1}, "landmarks": {card: 1}}
    return Choice(
        (of_market(card),),
        {"type": "build", "card": card},
        event,
        "machi_koro_2",
        "build",
        cities=cities or (CITY, CITY),
        market={"rows": rows},
        **more,
    )


POOR: Final = city(coins=0)
TRADERS: Final = (
    city(establishments={"business_center": 1, "bakery": 1}),
    city(establishments={"cafe": 1}),
    city(establishments={"mine": 1, "forest": 1}),
)
TRADED: Final = {"type": "swap_establishments", "give": "bakery", "with_seat": 2, "take": "mine"}
PORT: Final = city(TOWN, landmarks=["harbor", "train_station"])
TOWER: Final = city(landmarks=["radio_tower", "train_station"])
TEN_KINDS: Final = (
    *("wheat_field", "ranch", "bakery", "cafe", "convenience_store"),
    *("forest", "mine", "stadium", "cheese_factory", "apple_orchard"),
)

CHOICES: Final = {
    "one die, where two are allowed": Choice(
        (ROLL,),
        {"type": "roll_dice", "dice": 1},
        {"type": "dice_rolled", "values": [3]},
        throws=((3,),),
        cities=(TOWER, CITY),
    ),
    "two dice": Choice(
        (ROLL_TWO,),
        {"type": "roll_dice", "dice": 2},
        {"type": "dice_rolled", "values": [3, 4]},
        throws=((3, 4),),
        cities=(TOWER, CITY),
    ),
    "to roll again": Choice(
        (ROLL, "[data-command=reroll_dice]"),
        {"type": "reroll_dice"},
        {"type": "dice_rolled", "purpose": "reroll", "values": [5]},
        throws=((3,), (5,)),
        cities=(TOWER, CITY),
    ),
    "to keep the dice": Choice(
        (ROLL, "[data-command=keep_dice]"),
        {"type": "keep_dice"},
        {"type": "dice_kept", "declined": "reroll", "total": 3},
        throws=((3,),),
        cities=(TOWER, CITY),
    ),
    "to add two": Choice(
        (ROLL_TWO, "[data-command=add_two]"),
        {"type": "add_two"},
        {"type": "two_added", "total": 12},
        "harbor",
        throws=((5, 5),),
        cities=(PORT, TOWN),
    ),
    "to add nothing": Choice(
        (ROLL_TWO, "[data-command=keep_total]"),
        {"type": "keep_total"},
        {"type": "dice_kept", "declined": "add_two", "total": 10},
        "harbor",
        throws=((5, 5),),
        cities=(PORT, TOWN),
    ),
    "whom of four to take coins from": Choice(
        (ROLL, "[data-command=take_coins] >> nth=3"),
        {"type": "take_coins", "from_seat": 4},
        {"type": "payment_made", "from_seat": 4, "to_seat": 0, "paid": 5},
        throws=((6,),),
        cities=(city(establishments={"tv_station": 1}), CITY, CITY, CITY, CITY),
        options={"box": "five_player"},
    ),
    "to take coins from somebody without any": Choice(
        (ROLL, "[data-command=take_coins] >> nth=0"),
        {"type": "take_coins", "from_seat": 1},
        {"type": "target_chosen", "target": 1},
        throws=((6,),),
        cities=(city(establishments={"tv_station": 1}), POOR, CITY),
    ),
    "a trade": Choice(
        (ROLL, of_city(0, "bakery"), of_city(2, "mine"), TRADE),
        TRADED,
        {"type": "establishments_swapped", "give": "bakery", "with_seat": 2, "take": "mine"},
        throws=((6,),),
        cities=TRADERS,
    ),
    "a trade picked from its other end, on second thoughts": Choice(
        (
            ROLL,
            of_city(1, "cafe"),
            of_city(0, "wheat_field"),
            of_city(2, "mine"),
            of_city(0, "bakery"),
            TRADE,
        ),
        TRADED,
        {"type": "establishments_swapped", "give": "bakery", "with_seat": 2, "take": "mine"},
        throws=((6,),),
        cities=TRADERS,
    ),
    "no trade": Choice(
        (ROLL, "[data-command=decline_swap]"),
        {"type": "decline_swap"},
        {"type": "swap_declined", "seat": 0},
        throws=((6,),),
        cities=TRADERS,
    ),
    "a trade in Machi Koro 2": Choice(
        (ROLL, of_city(0, "bakery"), of_city(2, "mine"), TRADE),
        TRADED,
        {"type": "establishments_swapped", "give": "bakery", "with_seat": 2, "take": "mine"},
        "machi_koro_2",
        throws=((6,),),
        cities=TRADERS,
    ),
    "what to give away": Choice(
        (ROLL_TWO, of_city(0, "bakery")),
        {"type": "give_establishment", "card": "bakery"},
        {"type": "establishment_given", "card": "bakery", "to_seat": 2},
        "machi_koro_2",
        throws=((4, 4),),
        cities=(city(landmarks=["moving_company"], establishments={"bakery": 1}), CITY, CITY),
    ),
    "a card": Choice(
        (ROLL, of_market("mine")),
        {"type": "build", "card": "mine"},
        {"type": "establishment_built", "card": "mine", "price": 6},
        throws=((3,),),
    ),
    "a landmark of one's own": Choice(
        (ROLL, of_city(0, "train_station")),
        {"type": "build", "card": "train_station"},
        {"type": "landmark_built", "card": "train_station", "price": 4},
        throws=((3,),),
    ),
    "the last landmark": Choice(
        (of_city(0, "radio_tower"),),
        {"type": "build", "card": "radio_tower"},
        {"type": "match_finished", "winner": 0},
        phase="build",
        cities=(city(landmarks=["train_station", "shopping_mall", "amusement_park"]), CITY),
    ),
    "to build nothing": Choice(
        (ROLL, PASS), {"type": "pass"}, {"type": "build_passed", "seat": 0}, throws=((3,),)
    ),
    "to build nothing beside an airport": Choice(
        (PASS,),
        {"type": "pass"},
        {"type": "income_received", "card": "airport", "coins": 10},
        "harbor",
        "build",
        cities=(city(TOWN, landmarks=["airport"]), TOWN),
    ),
    "the last card of its kind in a limited market": Choice(
        (of_market("mine"),),
        {"type": "build", "card": "mine"},
        {"type": "market_refilled", "cards": ["furniture_factory"]},
        phase="build",
        options={"market": "limited"},
        market={"face_up": dict.fromkeys(TEN_KINDS, 1), "deck": ["furniture_factory"]},
    ),
    "what the coin of the town hall buys": Choice(
        (ROLL, of_market("wheat_field")),
        {"type": "build", "card": "wheat_field"},
        {"type": "establishment_built", "card": "wheat_field", "price": 1},
        "harbor",
        throws=((3,),),
        cities=(city(TOWN, coins=0), TOWN),
    ),
    "a card of a building round": Choice(
        (of_market("bakery"),),
        {"type": "build", "card": "bakery"},
        {"type": "establishment_built", "card": "bakery", "price": 1},
        "machi_koro_2",
        "setup",
        cities=(city(coins=5), city(coins=5)),
        market={"rows": {"low": {"bakery": 1, "forest": 1}}},
    ),
    "to build nothing in a building round": Choice(
        (PASS,), {"type": "pass"}, {"type": "build_passed", "seat": 0}, "machi_koro_2", "setup"
    ),
    "the Loan Office": building(
        "loan_office",
        {"type": "landmark_built", "card": "loan_office"},
        CITY,
        city(landmarks=["park"]),
    ),
    "the French Restaurant": building(
        "french_restaurant", {"type": "payment_made", "card": "french_restaurant", "paid": 2}
    ),
    "the Publisher": building(
        "publisher",
        {"type": "payment_made", "card": "publisher", "paid": 1},
        CITY,
        city(establishments={"bakery": 1}),
    ),
    "the Exhibit Hall": building(
        "exhibit_hall", {"type": "payment_made", "card": "exhibit_hall", "paid": 15}
    ),
    "the Museum": building(
        "museum", {"type": "payment_made", "card": "museum", "paid": 3}, CITY, city(landmarks=["forge"])
    ),
    "the Park": building("park", {"type": "coins_levelled", "coins": [9, 9], "from_bank": 0}, CITY, POOR),
    "the Radio Tower": building("radio_tower", {"type": "turn_started", "seat": 0, "extra": True}),
    "the TV Station": building(
        "tv_station",
        {"type": "payment_made", "card": "tv_station", "paid": 1},
        CITY,
        city(establishments={"cafe": 1}),
    ),
    "the Launch Pad": building("launch_pad", {"type": "match_finished", "winner": 0}, city(coins=45), CITY),
    "a landmark to demolish": Choice(
        (ROLL, of_city(0, "shopping_mall")),
        {"type": "demolish", "card": "shopping_mall"},
        {"type": "landmark_demolished", "landmark": "shopping_mall"},
        "millionaires_row",
        throws=((4,),),
        cities=(city(landmarks=["shopping_mall"], establishments={"demolition_company": 1}), CITY),
    ),
    "a card to give to the only opponent": Choice(
        (ROLL_TWO, of_city(0, "wheat_field")),
        {"type": "move_establishment", "card": "wheat_field", "to_seat": 1},
        {"type": "establishment_given", "card": "wheat_field", "to_seat": 1},
        "millionaires_row",
        throws=((4, 5),),
        cities=(city(landmarks=["train_station"], establishments={"moving_company": 1}), CITY),
    ),
    "a card, and to whom it goes": Choice(
        (ROLL_TWO, of_city(0, "wheat_field"), "[data-command=move_establishment] >> nth=1"),
        {"type": "move_establishment", "card": "wheat_field", "to_seat": 2},
        {"type": "establishment_given", "card": "wheat_field", "to_seat": 2},
        "millionaires_row",
        throws=((4, 5),),
        cities=(city(landmarks=["train_station"], establishments={"moving_company": 1}), CITY, CITY),
    ),
    "what closes for renovation, in the city of an opponent": Choice(
        (ROLL_TWO, of_city(1, "cafe")),
        {"type": "renovate", "card": "cafe"},
        {"type": "establishments_closed", "establishment": "cafe", "copies": [0, 2]},
        "harbor_millionaires_row",
        throws=((3, 5),),
        cities=(
            city(TOWN, landmarks=["train_station"], establishments={"renovation_company": 1}),
            city(TOWN, establishments={"cafe": 2}),
        ),
    ),
    "to invest a coin": Choice(
        (PASS, "[data-command=invest_coin]"),
        {"type": "invest_coin"},
        {"type": "coin_invested", "coins": 1},
        "millionaires_row",
        "build",
        cities=(city(establishments={"tech_startup": 1}), CITY),
    ),
    "to invest nothing": Choice(
        (PASS, "[data-command=decline_investment]"),
        {"type": "decline_investment"},
        {"type": "investment_declined"},
        "millionaires_row",
        "build",
        cities=(city(establishments={"tech_startup": 1}), CITY),
    ),
    "to resign in one's turn": Choice(
        RESIGN, {"type": "resign", "seat": 0}, {"type": "seat_resigned", "seat": 0}, cities=(CITY,) * 3
    ),
}
"""By name, from seat 0 of players who are all of one account."""


def start(page: Page, account: Account, choice: Choice) -> None:
    """Open the table of the position."""
    wishes: dict[str, Any] = {"phase": choice.phase, **({"market": choice.market} if choice.market else {})}
    throws = [list(throw) for throw in choice.throws]
    match_id = account.board(
        throws, *choice.cities, ruleset=choice.ruleset, options=choice.options, position=wishes
    )
    sign_in_as(page, account)
    page.goto(f"/matches/{match_id}")
    expect(page.locator(".city").first).to_be_visible()


def click(wished: Locator) -> None:
    wished.click()


QUICK = {"two dice", "whom of four to take coins from", "a trade", "a card", "to build nothing"}
"""The choices of the quick tests: by a button, by a city, and by several steps."""
assert CHOICES.keys() >= QUICK


def press(wished: Locator) -> None:
    expect(wished).to_be_visible()
    reach(wished)
    wished.page.keyboard.press("Enter")


@pytest.mark.parametrize(
    "act", [pytest.param(click, id="by clicks", marks=pytest.mark.long), pytest.param(press, id="by keys")]
)
@pytest.mark.parametrize("name", long_unless(QUICK, CHOICES))
def test_a_choice_is_made_at_the_table(
    page: Page, ada: Account, name: str, act: Callable[[Locator], None]
) -> None:
    choice = CHOICES[name]
    start(page, ada, choice)

    def decides(answer: Response) -> bool:
        body = answer.request.post_data_json
        return isinstance(body, dict) and choice.command.items() <= body.items()

    *first, last = choice.acts
    for selector in first:
        act(page.locator(selector))
    with page.expect_response(decides) as decided:
        act(page.locator(last))
    events = [{"type": one["type"], **one["data"]} for one in decided.value.json()["events"]]
    assert [one for one in events if choice.event.items() <= one.items()], events


def test_every_command_of_a_seat_is_among_the_choices() -> None:
    assert {choice.command["type"] for choice in CHOICES.values()} == PLAY_COMMANDS.keys()


def test_the_number_of_a_name_is_told_from_the_coins_that_it_has(page: Page, ada: Account) -> None:
    start(page, ada, Choice((), {}, {}, cities=(city(coins=1), city(coins=4))))
    purses = f"{ada.handle} 1: 1, {ada.handle} 2: 4."
    expect(page.locator(".log li").filter(has_text=purses)).to_have_count(1)


def test_the_table_shows_what_is_closed_and_what_is_invested(page: Page, ada: Account) -> None:
    owner = city(establishments={"tech_startup": 1, "cafe": 2}, closed={"cafe": 1}, invested=3)
    start(page, ada, Choice((), {}, {}, "millionaires_row", cities=(owner, CITY)))
    cafe, startup = (
        page.locator(f".city[data-seat='0'] [data-card={id}]") for id in ("cafe", "tech_startup")
    )

    expect(cafe.locator(".closed")).to_have_text("1")
    expect(cafe).to_have_attribute("aria-label", re.compile("2 copies, 1 closed"))
    expect(startup).to_have_attribute("aria-label", re.compile("3 coins invested"))
    expect(page.locator(".city[data-seat='1'] .closed")).to_have_count(0)


def test_whoever_waits_for_another_can_resign(page: Page, ada: Account) -> None:
    players = [CITY, CITY, CITY]
    match = ada.create(
        seats=[{"kind": "me"}, *[{"kind": "strategy", "strategy": "greedy"}] * 2],
        position={"active_seat": 1, "phase": "roll", "players": players},
    )
    sign_in_as(page, ada)
    page.goto(f"/matches/{match['match_id']}")
    for selector in RESIGN:
        page.locator(selector).click()
    expect(page.locator(".city").first.get_by_role("heading")).to_contain_text("resigned")
    expect(page.locator(".task")).to_contain_text("greedy 1")


@pytest.mark.parametrize("ruleset", long_unless(["base"], ["base", "harbor"]))
def test_a_third_copy_says_why_it_cannot_be_built_where_two_are_allowed(
    page: Page, ada: Account, ruleset: str
) -> None:
    owner = city(TOWN if ruleset == "harbor" else CITY, establishments={"bakery": 2})
    other = TOWN if ruleset == "harbor" else CITY
    start(page, ada, Choice((), {}, {}, ruleset, "build", cities=(owner, other), options={"max_copies": 2}))
    full = page.locator(".market [data-card=bakery]")
    expect(full).to_have_attribute("aria-disabled", "true")
    press(full)
    expect(page.locator("#said")).to_have_text("You have the most copies allowed")


@pytest.mark.long
def test_a_trade_that_would_make_a_third_copy_cannot_be_picked(page: Page, ada: Account) -> None:
    cities = (
        city(establishments={"business_center": 1, "bakery": 1, "cafe": 1}),
        city(establishments={"cafe": 2, "mine": 1}),
    )
    start(page, ada, Choice((), {}, {}, throws=((6,),), cities=cities, options={"max_copies": 2}))
    mine = page.locator(of_city(1, "mine"))
    press(page.locator(ROLL))
    press(mine)
    press(page.locator(of_city(0, "cafe")))
    expect(mine).to_have_count(0)
    expect(page.locator(TRADE)).to_have_count(0)
    press(page.locator(of_city(0, "bakery")))
    press(mine)
    press(page.locator(TRADE))
    expect(page.locator(".city[data-seat='0'] [data-card=mine]")).to_be_visible()


TWO_VANS: Final = city(landmarks=["train_station"], establishments={"moving_company": 2, "bakery": 1})


@pytest.mark.parametrize(
    ("choice", "following"),
    [
        pytest.param(CHOICES["a card"]._replace(acts=(ROLL,)), PASS, id="the dice"),
        pytest.param(
            CHOICES["a card to give to the only opponent"]._replace(cities=(TWO_VANS, CITY)),
            of_city(0, "bakery"),
            id="a card",
        ),
    ],
)
def test_the_second_half_of_a_double_click_does_not_decide_what_comes_next(
    page: Page, ada: Account, choice: Choice, following: str
) -> None:
    start(page, ada, choice)
    for selector in choice.acts:
        page.locator(selector).click()
    page.locator(following).hover()
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    assert page.locator(following).is_visible()


def outline(wished: Locator) -> str:
    return str(wished.evaluate("it => getComputedStyle(it).outline"))


def test_whose_turn_it_is_what_pays_and_what_can_be_built_is_framed_in_forced_colours(
    page: Page, ada: Account
) -> None:
    page.emulate_media(forced_colors="active")
    start(page, ada, CHOICES["a card"]._replace(throws=((1,),)))
    page.locator(ROLL).click()
    expect(page.locator(PASS)).to_be_visible()
    for framed in (".seat[aria-current=true]", ".city.active", ".glows .number >> nth=0", of_market("mine")):
        assert " solid " in outline(page.locator(framed)), framed
    page.emulate_media(forced_colors="none")


def test_the_focus_is_seen_on_a_landmark_that_can_be_built(page: Page, ada: Account) -> None:
    start(page, ada, CHOICES["a landmark of one's own"])
    page.locator(ROLL).click()
    landmark = page.locator(of_city(0, "train_station"))
    expect(landmark).to_be_visible()
    before = outline(landmark)
    reach(landmark)
    assert outline(landmark) != before

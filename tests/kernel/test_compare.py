"""The kernel plays as `domain` does: equal legal commands and equal states after every step."""

from bisect import bisect

import pytest

from domain import MatchState, create
from domain.match.commands import PlayCommand, Resign, RollDice
from domain.match.decide.turns import TURN_LIMIT
from domain.match.events import PositionPlayer
from domain.match.rulesets import CURRENT
from kernel import layout as at
from kernel.compare import CASES, Difference, compare, compare_match, creation_of
from kernel.convert import TwinChance, code_of, row_of
from kernel.engine import PLAIN, compiled
from tests.domain import perft
from tests.domain.kit import A, B, C, city, given
from tests.kernel.counting import counts

FIRST_CODES = (
    *range(at.TAKE_FROM + 1),
    *(at.RESIGN, at.BUILD_CARD, at.GIVE_CARD, at.DEMOLISH_CARD, at.RENOVATE_CARD, at.MOVE_CARD, at.TRADE),
)
"""The first code of each kind of command."""

RECORDED = dict(line.split(": ") for line in perft.FILE.read_text().splitlines())


def test_one_random_match_of_each_kind_has_equal_states_after_every_step() -> None:
    """They see every phase, every kind of command and every end but that by the limit of turns."""
    phases, commands, results = set(), set(), set()

    def step(tables: at.Tables, row: at.Row, luck: at.Luck, code: int) -> None:
        phases.add(at.PHASES[row[at.PHASE]])
        commands.add(bisect(FIRST_CODES, code))
        PLAIN.step(tables, row, luck, code)
        results.add(at.RESULTS[row[at.RESULT]])

    matches, _ = compare(PLAIN._replace(step=step), 1_000_000, len(CASES))

    assert matches == len(CASES)
    assert phases == {*at.PHASES} - {""}
    assert commands == {*range(1, len(FIRST_CODES) + 1)}
    assert results == {*at.RESULTS} - {"turn_limit"}


def test_a_match_that_nobody_wins_ends_with_the_same_turn() -> None:
    creation = creation_of(CASES[0])
    state, _ = create(creation, TwinChance(1))
    tables, row, luck = PLAIN.tables(state.rules), PLAIN.row(row_of(state)), PLAIN.luck(2)
    while row[at.STATUS] == at.RUNNING:
        PLAIN.step(tables, row, luck, at.ROLL_ONE if row[at.PHASE] == at.ROLL else at.PASS)

    assert row[at.TURN] == TURN_LIMIT
    assert (row[at.STATUS], row[at.RESULT], row[at.WINNER]) == (at.ABORTED, at.BY_TURN_LIMIT, -1)


def after(state: MatchState, command: PlayCommand) -> at.Row:
    """The row after a command that needs no chance."""
    row = PLAIN.row(row_of(state))
    PLAIN.step(PLAIN.tables(state.rules), row, PLAIN.luck(0), code_of(state.rules, command))
    return row


@pytest.mark.parametrize("seat", [B, C])
@pytest.mark.parametrize(
    ("owner", "full", "dice"),
    [
        (city(0, "train_station", moving_company=1, tax_office=1, town_hall=1), "moving_company", (4, 5)),
        (city(0, "train_station", renovation_company=1, town_hall=1), "renovation_company", (3, 5)),
    ],
)
def test_a_choice_lapses_where_the_rules_let_it_lapse(
    seat: int, owner: PositionPlayer, full: str, dice: tuple[int, int]
) -> None:
    """A seat leaves while another is to act: one can take no gift, the other has all that can close."""
    others = city(20, town_hall=1, **{full: 2 if full == "moving_company" else 1}), city(town_hall=1, cafe=1)
    scene = given("harbor_millionaires_row", owner, *others, max_copies=2).when(RollDice(A, 2), dice=[dice])
    row = after(scene.state, Resign(seat))
    left = scene.when(Resign(seat)).state

    assert {scene.when(Resign(one)).state.phase for one in (B, C)} == {scene.state.phase, "build"}
    assert row == row_of(left)


@pytest.mark.long
def test_the_compiled_kernel_has_equal_states_after_every_step() -> None:
    matches, _ = compare(compiled(), 0, 5_000)

    assert matches == 5_000


@pytest.mark.parametrize("name", perft.TABLES)
def test_the_kernel_counts_the_recorded_number_of_command_sequences(name: str) -> None:
    assert " ".join(map(str, counts(PLAIN, name))) == RECORDED[name]


@pytest.mark.long
def test_the_compiled_kernel_counts_the_recorded_number_of_command_sequences() -> None:
    assert {name: " ".join(map(str, counts(compiled(), name))) for name in perft.TABLES} == RECORDED


def test_a_kernel_that_pays_otherwise_is_found_out() -> None:
    def step(tables: at.Tables, row: at.Row, luck: at.Luck, code: int) -> None:
        PLAIN.step(tables, row, luck, code)
        row[at.COINS] += 1

    with pytest.raises(Difference, match="match 0, step 1"):
        compare_match(PLAIN._replace(step=step), 0)


def test_what_lies_on_cards_is_part_of_a_row_only_where_cards_close() -> None:
    """Other rulesets pay nothing for it, neither for copying nor for filling it."""
    rows = {name: row_of(given(name, city(), city()).state) for name in ("base", "millionaires_row")}

    assert len(rows["base"]) == at.CITIES + 2 * at.MOST_CARDS
    assert len(rows["millionaires_row"]) == at.CLOSED + 2 * at.MOST_CARDS


def test_the_kinds_of_matches_cover_every_ruleset_option_and_number_of_seats() -> None:
    options = [creation_of(case).options for case in CASES]

    assert {(case.ruleset, case.seats) for case in CASES} == {
        (ruleset, seats) for ruleset in CURRENT for seats in range(2, 6)
    }
    assert {one.market for one in options} == {"open", "limited", "rows"}
    assert {one.box for one in options} == {"four_player", "five_player", ""}
    assert {one.max_copies for one in options} == {None, 2}
    assert {bool(one.card_costs) for one in options} == {False, True}

"""Reading results: any order, exact validation, only whole blocks."""

import pickle
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.ladder import decide
from domain.ladder.config import METHOD, digest
from domain.ladder.events import STAND_IN, SeasonOpened
from domain.ladder.results import (
    NOBODY,
    BotPlayer,
    EntryLine,
    LadderLine,
    Line,
    MatchLuck,
    ResultLine,
    ResultsFault,
    StrategyPlayer,
    lines,
    lines_of_test,
    parse,
    read,
    results_of,
    rotated,
    write,
)
from domain.ladder.sprt import Hypotheses, sequential_test
from domain.ladder.state import fold
from tests.domain.ladder.decided import CONFIG, bot, opened, result, strategy
from tests.domain.ladder.decided import ladder as decided_ladder
from tests.domain.ladder.simulated import collect, config, entry, ladder, match, season

BASE = ["ent_a", "ent_b"]
HEAD: list[Line] = [ladder(config()), entry("a"), entry("b")]
WHOLE: list[Line] = [*HEAD, match(1, 0, BASE, 0), match(1, 1, BASE, 1)]


def changed(line: Line, **members: object) -> Line:
    return msgspec.structs.replace(line, **members)


def fault(*lines: Line) -> str:
    """What is said of these lines, with the code."""
    with pytest.raises(ResultsFault) as found:
        collect(lines)
    at = f"line {found.value.line}: " if found.value.line else ""
    return f"{at}{found.value.code}: {found.value.detail}"


def test_a_rotation_seats_the_base_order_shifted() -> None:
    assert [rotated("abc", rotation) for rotation in range(3)] == [tuple("abc"), tuple("bca"), tuple("cab")]


def test_a_line_has_one_text_and_comes_back_from_it() -> None:
    bot = entry("b", BotPlayer("ann", "acc_1", "7"), "acc_1")
    with_luck = match(1, 0, BASE, 0, MatchLuck((-1250, 1250), None))
    text = write([*WHOLE, bot, with_luck])

    assert [parse(line) for line in text.splitlines()] == [*WHOLE, bot, with_luck]
    assert text.splitlines()[1] == (
        b'{"entry":"ent_a","kind":"entry","name":"a","owner":"service",'
        b'"player":{"kind":"strategy","name":"a","version":"1"}}'
    )


@given(st.integers(0, 10**6))
def test_the_order_of_lines_and_repeated_lines_change_nothing(seed: int) -> None:
    lines = season({"a": 1.0, "b": 2.0, "c": 1.0}, (1.0, 0.8), 5, 1, config())
    texts = write(lines).splitlines()
    shuffled = Random(seed).sample([*texts, *texts[:7], b""], len(texts) + 8)

    assert read(shuffled) == read(texts)


def test_incomplete_blocks_are_left_out_and_counted() -> None:
    found = collect([*WHOLE, match(2, 1, BASE, 0), match(7, 0, BASE, 0)])

    assert [block.number for block in found.blocks] == [1]
    assert found.incomplete == 2


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"kind":"other"}',
        '{"kind":"entry"}',
        b"\xff",
        "[" * 100_000,
        write([changed(WHOLE[3], turns=-1)]),
        write([changed(WHOLE[3], version=2**60)]),
        write([WHOLE[3]]).replace(b'"winner"', b'"more":1,"winner"'),
        write([WHOLE[3]]).replace(b'"turns":30', b'"turns":30.5'),
    ],
)
def test_what_is_no_line_is_refused_with_its_number(text: bytes | str) -> None:
    with pytest.raises(ResultsFault) as found:
        read([write(HEAD[:1]), b"", text])

    assert (found.value.code, found.value.line) == ("not_a_line", 3)
    assert str(found.value).startswith("line 3: this is no line of results: ")


def test_of_what_is_no_line_it_is_told_why() -> None:
    with pytest.raises(ResultsFault) as found:
        read([write(HEAD[:1]), '{"kind":"other"}'])

    assert found.value.detail == "this is no line of results: Invalid value 'other' - at `$.kind`"


def test_a_fault_is_told_in_words_without_its_code() -> None:
    assert str(ResultsFault("two_entries", "told otherwise", 6)) == "line 6: told otherwise"
    assert (
        str(ResultsFault("no_ladder", "there is no line of the ladder")) == "there is no line of the ladder"
    )


def test_stand_ins_are_refused_unless_they_are_expected() -> None:
    with pytest.raises(ResultsFault, match="a stand-in has a seat"):
        read(write(OF_TEST).splitlines())


def test_the_ladder_must_be_told_once() -> None:
    assert fault(*WHOLE[1:]) == "no_ladder: there is no line of the ladder"
    twice = fault(*WHOLE, changed(HEAD[0], name="Other"))
    assert twice == "line 6: two_ladders: the ladder was told otherwise before"


def test_the_digest_must_be_that_of_the_configuration() -> None:
    found = fault(changed(HEAD[0], config=config(3)))
    assert found == "line 1: digest_differs: the digest is not that of the configuration"


def test_ratings_by_a_method_that_is_not_known_are_refused() -> None:
    assert fault(ladder(config(method="winner_plackett_luce@2"))) == (
        "line 1: method_unknown: the ratings are by 'winner_plackett_luce@2', which is not known here"
    )
    assert METHOD == "winner_plackett_luce@1"


def test_a_fault_is_the_same_after_it_was_sent_to_another_process() -> None:
    twin = pickle.loads(pickle.dumps(ResultsFault("two_entries", "told otherwise", 6)))

    assert (twin.code, twin.detail, twin.line) == twin.args == ("two_entries", "told otherwise", 6)


def test_an_entry_has_one_line() -> None:
    found = fault(*WHOLE, changed(HEAD[1], owner="acc_2"))
    assert found == "line 6: two_entries: 'ent_a' was told otherwise before"


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"ladder": "lad_2"}, "other_ladder: a result of 'lad_2'"),
        ({"season": 2}, "other_season: a result of season 2"),
        ({"seats": ("ent_a", "ent_a")}, "seats_invalid: 2 different entries are seated at a table"),
        ({"seats": ("ent_a",)}, "seats_invalid: 2 different entries are seated at a table"),
        ({"winner": 2}, "winner_invalid: there is no seat 2"),
        ({"rotation": 2}, "rotation_invalid: there is no rotation 2"),
        ({"timeouts": (0,)}, "counts_invalid: one number is given for each seat"),
        ({"errors": (0, 0, 0)}, "counts_invalid: one number is given for each seat"),
        ({"luck": MatchLuck((1,), None)}, "counts_invalid: one number is given for each seat"),
        ({"luck": MatchLuck((1, 2), (1,))}, "counts_invalid: one number is given for each seat"),
        ({"seats": ("ent_a", "ent_c")}, "unknown_entry: there is no line of 'ent_c'"),
        ({"seats": ("ent_a", "ent_b")}, "not_rotations: the seats of block 1 are not shifts of one order"),
        ({"round": 2}, "two_rounds: block 1 is of round 1"),
        ({"match_id": "mat_1_0"}, "match_twice: 'mat_1_0' has another result"),
    ],
)
def test_a_result_that_contradicts_the_rest_is_refused(members: dict[str, object], words: str) -> None:
    other = match(1, 1, BASE, 0)
    lines = [*HEAD, match(1, 0, BASE, 0)]
    assert collect([*lines, other]).incomplete == 0

    assert fault(*lines, changed(match(1, 1, BASE, 0), **members)) == f"line 5: {words}"


TESTED = ["ent_a", NOBODY, "ent_b", NOBODY]
OF_TEST: list[Line] = [
    ladder(config(4)),
    *HEAD[1:],
    *[match(1, rotation, TESTED, won) for rotation, won in enumerate((0, 3, 2, 0))],
]


def test_stand_ins_may_have_the_other_seats_where_two_are_compared() -> None:
    found = collect(OF_TEST, with_stand_ins=True)

    assert found == collect(OF_TEST[::-1], with_stand_ins=True)
    assert (found.blocks[0].base, found.incomplete) == (tuple(TESTED), 0)
    seen = sequential_test(found.blocks, "ent_a", "ent_b", Hypotheses())
    # Rotation 0 is won by a, 1 by a from the last seat, 2 by a, 3 by a stand-in.
    assert (seen.wins, seen.losses, seen.others) == (3, 0, 1)


def test_results_with_stand_ins_are_not_rated() -> None:
    assert fault(*OF_TEST) == "line 4: stand_in: a stand-in has a seat: results of a test are not rated"


def test_nobody_but_stand_ins_sits_twice_at_a_table() -> None:
    with pytest.raises(ResultsFault) as found:
        collect([*OF_TEST[:3], match(1, 0, ["ent_a", NOBODY, "ent_a", NOBODY], 0)], with_stand_ins=True)

    assert found.value.code == "seats_invalid"


def test_a_rotation_has_one_result() -> None:
    words = "line 6: two_results: rotation 1 of block 1 ended otherwise"
    assert fault(*WHOLE, changed(WHOLE[4], match_id="mat_2")) == words
    assert fault(*WHOLE, changed(WHOLE[4], winner=0)) == words


def test_rotations_are_shifted_in_one_direction() -> None:
    base = ["ent_a", "ent_b", "ent_c"]
    lines = [ladder(config(3)), *map(entry, "abc"), match(1, 2, base, 0), match(1, 0, base, 0)]
    third = match(1, 1, base, 0)

    assert collect([*lines, third]).blocks[0].base == tuple(base)
    assert isinstance(third, ResultLine)
    assert fault(*lines, changed(third, seats=rotated(base, 2))) == (
        "line 7: not_rotations: the seats of block 1 are not shifts of one order"
    )


def test_the_results_of_a_ladder_are_those_in_its_lines() -> None:
    state = opened(decided_ladder(strategy("greedy"), bot("ada"), strategy("random")), (2, 1), (0, 2), (1, 0))
    for number, ids in ((3, "ab"), (1, "cd")):
        fold(state, decide.finish_block(state, number, 1, [result(f"mat_{id}") for id in ids]))
    found = results_of("lad_1", state, 1)
    assert found == collect(lines("lad_1", state, 1))
    assert [block.number for block in found.blocks] == [1, 3]


def test_the_lines_of_a_test_are_those_of_its_round_and_stand_ins_have_no_entry() -> None:
    state = opened(decided_ladder(strategy("greedy"), bot("ada")), (0, 1))
    fold(state, decide.finish_block(state, 1, 1, [result("mat_a"), result("mat_b")]))
    fold(state, decide.finish_round(state, 1))
    state = opened(state, (1, STAND_IN), (0, 1), purpose="test")
    lucky = msgspec.structs.replace(result("mat_c", (0, 2)), luck_coins=(5, -5), luck_wins=(-7, 7))
    fold(state, decide.finish_block(state, 2, 1, [lucky, result("mat_d")]))

    head: list[Line] = [
        LadderLine("lad_1", "Quick", 1, CONFIG, digest(CONFIG)),
        EntryLine("a", StrategyPlayer("greedy", "1"), "greedy", "service"),
        EntryLine("b", BotPlayer("ada", "acc_ada", "1"), "ada", "service"),
    ]
    played = (0, 30, 200, "sha-256:aa")
    luck = MatchLuck((5, -5), (-7, 7))
    assert [*lines_of_test("lad_1", state, state.rounds[1])] == [
        *head,
        ResultLine("lad_1", 1, 2, 2, 0, "mat_c", ("b", NOBODY), *played, (0, 2), (0, 0), luck),
        ResultLine("lad_1", 1, 2, 2, 1, "mat_d", (NOBODY, "b"), *played, (0, 0), (0, 0), None),
    ]
    assert [*lines("lad_1", state, 1)] == [
        *head,
        ResultLine("lad_1", 1, 1, 1, 0, "mat_a", ("a", "b"), *played, (0, 0), (0, 0), None),
        ResultLine("lad_1", 1, 1, 1, 1, "mat_b", ("b", "a"), *played, (0, 0), (0, 0), None),
    ]


def test_the_lines_of_a_season_have_its_configuration() -> None:
    other = msgspec.structs.replace(CONFIG, seed="cd" * 32)
    state = fold(decided_ladder(), [SeasonOpened(1, CONFIG, digest(CONFIG)), SeasonOpened(2, other, "d")])

    assert [*lines("lad_1", state, 1)] == [LadderLine("lad_1", "Quick", 1, CONFIG, digest(CONFIG))]
    assert [*lines("lad_1", state, 2)] == [LadderLine("lad_1", "Quick", 2, other, "d")]


def test_a_ladder_with_an_unknown_method_has_no_results_here() -> None:
    """A worker of an older version must not rate it."""
    rules = msgspec.structs.replace(CONFIG.rating, method="of tomorrow")
    config = msgspec.structs.replace(CONFIG, rating=rules)
    state = fold(decided_ladder(), [SeasonOpened(1, config, digest(config))])
    with pytest.raises(ResultsFault, match=r"^line 1: the ratings are by 'of tomorrow'"):
        results_of("lad_1", state, 1)

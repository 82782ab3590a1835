"""The tools: each does what its description tells a model, as the account of the client that it is given."""

import math
import time
from itertools import islice, takewhile
from typing import Annotated, Any, Final, Literal

from msgspec import Struct
from pydantic import Field

from contract.catalogue import Ruleset
from contract.matches import Invitation
from contract.reviews import ReviewedDecision, SeatReview
from contract.states import Unbuildable
from domain.match.rulesets import CURRENT
from machi.client import Client
from machi.commands import members_of
from machi.language_models.rules import rules_in_short
from machi.matches import ListedMatch, seats_with_me
from machi.requests.reviews import PAUSE_S, ReviewJob
from machi.table import State

MOST_LISTED: Final = 50
MOST_TOLD: Final = 200

Command = dict[str, Any]
Status = Literal["open", "running", "finished", "aborted"]
Language = Literal["en", "uk", "ru", "cs", "it"]
MatchId = Annotated[str, Field(description="Id of a match, such as mat_01M7WRCDNE5VV31RSBR368627A.")]
RulesetName = Annotated[str, Field(description=f"Id of a ruleset: {', '.join(CURRENT)}.")]
Mine = Annotated[bool, Field(description="Only matches in which you have a seat.")]
Opponents = Annotated[list[str], Field(description="Built-in players, @HANDLE for an account, or open.")]
MySeat = Annotated[int, Field(description="Your own seat; 0 is the first.")]
Options = Annotated[dict[str, Any] | None, Field(description="Options as list_rulesets shows them.")]
Private = Annotated[bool, Field(description="Hide the match from everyone without a seat in it.")]
AnySeat = Annotated[int | None, Field(description="The seat to take; by default the first free one.")]
Code = Annotated[str | None, Field(description="The invitation code of a private match.")]
Known = Annotated[
    int, Field(description="The version that you know; `happened` tells what came later.", ge=0)
]
Decided = Annotated[int, Field(description="The `state.version` of the table on which you decided.", ge=1)]
Chosen = Annotated[Command, Field(description="One of `legal_commands`, unchanged.")]
Seconds = Annotated[int, Field(description="The longest time to wait.", ge=0, le=25)]
Limit = Annotated[int, Field(description="The most sentences.", ge=1, le=500)]


class Offer(Struct):
    """What can be played, and the built-in players with what they do, roughly from weakest to strongest."""

    rulesets: tuple[Ruleset, ...]
    opponents: dict[str, str]


class Text(Struct):
    """A text of lines."""

    text: str


class Matches(Struct):
    """Matches, the newest first, and the seats that are reserved for you: take one with join_match."""

    items: tuple[ListedMatch, ...]
    invitations: tuple[Invitation, ...]


class Table(Struct):
    """A match as it stands."""

    is_your_turn: bool
    is_over: bool
    your_seats: tuple[int, ...]
    state: State
    """`state.version` is the version that act and wait ask for."""
    legal_commands: tuple[Command, ...]
    """What you can pass to act; empty if it is not your turn."""
    happened: tuple[str, ...]
    """What has happened since the version that you named, in sentences; 200 at most."""
    invitation_code: str | None
    """Of your own private match, while it waits for players: whoever has it can join."""


class Legal(Struct):
    """The legal commands of the seat to act, and the cards that it cannot build."""

    version: int
    seat: int | None
    phase: str | None
    commands: tuple[Command, ...]
    unbuildable: tuple[Unbuildable, ...]


class ReviewReport(Struct):
    """The review of a match. Chances are in millionths; the rest is filled once `status` is `finished`."""

    status: str
    percent_done: int
    seats: tuple[SeatReview, ...] = ()
    turning_point: int | None = None
    mistakes: tuple[ReviewedDecision, ...] = ()


def list_rulesets(client: Client) -> Offer:
    """List the games that can be played, with their options, and the built-in players to play against."""
    return Offer(client.rulesets(), {one.name: one.description for one in client.strategies()})


def get_rules(client: Client, ruleset: RulesetName, language: Language = "en") -> Text:
    """Read the rules in short, with price and effect of every card. Do so before you play."""
    return Text(rules_in_short(client.ruleset(ruleset), client.cards(ruleset, language)))


def list_matches(client: Client, status: Status = "running", mine: Mine = True) -> Matches:
    """List up to 50 matches of a status, and the seats that others have reserved for you."""
    player = client.me().account_id if mine else None
    found = islice(client.matches(status=status, player=player, page_size=MOST_LISTED), MOST_LISTED)
    return Matches(tuple(found), client.invitations())


def create_match(
    client: Client,
    ruleset: RulesetName,
    opponents: Opponents,
    seat: MySeat = 0,
    options: Options = None,
    private: Private = False,
) -> Table:
    """Create a match with a seat for yourself. It starts as soon as every seat is taken."""
    seats, visibility = seats_with_me(opponents, seat), "private" if private else "public"
    match = client.create_match(ruleset, seats, options=options, visibility=visibility)
    return _table(client, match.match_id, 0)


def join_match(client: Client, match_id: MatchId, seat: AnySeat = None, code: Code = None) -> Table:
    """Take an open seat of a match, or the seat that is reserved for you there."""
    if any(one.match_id == match_id for one in client.invitations()):
        client.accept(match_id, seat)
    else:
        client.join(match_id, seat, code=code)
    return _table(client, match_id, 0)


def get_state(client: Client, match_id: MatchId) -> Table:
    """Look at the table of a match: coins, cities, market, dice, whose turn it is and what you can do."""
    return _table(client, match_id)


def get_legal_commands(client: Client, match_id: MatchId) -> Legal:
    """List the legal commands of the seat to act, whoever has it, and why other cards cannot be built."""
    legal = client.legal_commands(match_id, explain=True)
    commands = tuple(members_of(one) for one in legal.commands)
    return Legal(legal.version, legal.seat, legal.phase, commands, legal.unbuildable)


def act(client: Client, match_id: MatchId, version: Decided, command: Chosen) -> Table:
    """Carry out one legal command, or give up with {"type": "resign", "seat": N}.

    It is refused if the match has moved on since that version. It is safe to repeat a call whose answer was
    lost: the same command at the same version is carried out once.
    """
    client.command(match_id, command, if_match=version, key=f"mcp-{match_id}-{version}")
    return _table(client, match_id, version)


def wait(client: Client, match_id: MatchId, version: Known, seconds: Seconds = 20) -> Table:
    """Wait until it is your turn or the match is over, for some seconds at most; then call it again."""
    end = time.monotonic() + seconds
    mine = client.match(match_id).seats_of(client.me().account_id)
    while True:
        state = client.state(match_id)
        left_s = end - time.monotonic()
        if state.active_seat in mine or _is_over(state) or left_s <= 0:
            return _table(client, match_id, version)
        client.events(match_id, state.version, limit=1, wait=math.ceil(left_s))


def get_log(
    client: Client, match_id: MatchId, after: Known = 0, language: Language = "en", limit: Limit = 100
) -> Text:
    """Read what has happened in a match: for each event a line with the version after it and a sentence."""
    lines = islice(client.log(match_id, after, lang=language), limit)
    return Text("\n".join(f"{line.sequence} {line.text}" for line in lines))


def get_review(client: Client, match_id: MatchId, seconds: Seconds = 20) -> ReviewReport:
    """Review a finished match: luck and skill of each seat, and its worst mistakes with the best commands.

    This may take a minute. If it is not finished in time, call this again.
    """
    end = time.monotonic() + seconds
    job = client.request_review(match_id)
    while isinstance(found := client.review(match_id, job.review_id), ReviewJob):
        if found.status == "failed" or time.monotonic() + PAUSE_S > end:
            return ReviewReport(found.status, found.progress.percent)
        time.sleep(PAUSE_S)
    mistakes = tuple(one for one in found.decisions if one.version in found.mistakes)
    return ReviewReport("finished", 100, found.seats, found.turning_point, mistakes)


def _table(client: Client, match_id: str, known_version: int | None = None) -> Table:
    """The table now, with what has happened since `known_version`."""
    match = client.match(match_id)
    mine = match.seats_of(client.me().account_id)
    legal, state = client.legal_commands(match_id), client.state(match_id)
    while legal.version != state.version:
        legal, state = client.legal_commands(match_id), client.state(match_id)
    lines = () if known_version is None else islice(client.log(match_id, known_version), MOST_TOLD)
    told = takewhile(lambda line: line.sequence <= state.version, lines)  # the next call tells what is later
    return Table(
        is_your_turn=state.active_seat in mine,
        is_over=_is_over(state),
        your_seats=mine,
        state=state,
        legal_commands=tuple(members_of(one) for one in legal.commands if one.seat in mine),
        happened=tuple(line.text for line in told),
        invitation_code=match.invitation_code,
    )


def _is_over(state: State) -> bool:
    return state.status not in ("open", "running")


READING: Final = (list_rulesets, get_rules, list_matches, get_state, get_legal_commands, wait, get_log)
CHANGING: Final = (create_match, join_match, act, get_review)

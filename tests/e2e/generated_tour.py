"""Every operation that play does not need, asked through a generated client alone; see `generated_player`."""

import hashlib
import json
import secrets
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from machi_koro_matches_client.api.accounts import delete_me, show_me
from machi_koro_matches_client.api.catalogue import list_cards, list_rulesets, list_strategies, show_ruleset
from machi_koro_matches_client.api.events import list_event_types, show_event
from machi_koro_matches_client.api.fairness import show_fairness
from machi_koro_matches_client.api.health import healthz, readyz, show_metrics
from machi_koro_matches_client.api.history import show_diff, show_past_state
from machi_koro_matches_client.api.matches import abort_match, create_match, list_matches, take_seat
from machi_koro_matches_client.api.pages import first_page, show_reference
from machi_koro_matches_client.api.seat_seeds import commit_seat_seed, open_seat_seed
from machi_koro_matches_client.api.state import list_legal_commands, show_state
from machi_koro_matches_client.api.tokens import create_token, delete_token, list_tokens
from machi_koro_matches_client.models import (
    Abort,
    CardPage,
    CommittedDice,
    DiceRevealedEvent,
    EventTypeName,
    EventTypePage,
    Fairness,
    Health,
    HealthStatus,
    Join,
    Joined,
    Language,
    LegalCommands,
    Match,
    MatchCreatedEvent,
    MatchPage,
    MatchStatus,
    Me,
    MySeat,
    NewMatch,
    NewSeatSeeds,
    NewToken,
    OpenSeat,
    PastState,
    PatchOperation,
    Problem,
    ProblemCode,
    Ruleset,
    RulesetId,
    RulesetPage,
    Scope,
    SeatSeedCommitment,
    SeatSeedOpening,
    State,
    StrategyPage,
    TokenPage,
    TokenWithSecret,
)

from tests.e2e.generated_player import Player, said


def see_the_service(player: Player) -> None:
    client = player.client
    assert said(healthz.sync_detailed(client=client), Health).status is HealthStatus.OK
    assert said(readyz.sync_detailed(client=client), Health).status is HealthStatus.READY
    assert "machi_" in said(show_metrics.sync_detailed(client=client), str)
    for page in (first_page, show_reference):
        assert "<title>" in said(page.sync_detailed(client=client), str)
    rulesets = said(list_rulesets.sync_detailed(client=client), RulesetPage).items
    assert {ruleset.id for ruleset in rulesets} == {*RulesetId}
    assert said(show_ruleset.sync_detailed("harbor", client=client), Ruleset) in rulesets
    cards = said(list_cards.sync_detailed("base", client=client, lang=Language.UK), CardPage).items
    assert {card.language for card in cards} == {Language.UK}
    assert said(list_strategies.sync_detailed(client=client), StrategyPage).items
    types = said(list_event_types.sync_detailed(client=client), EventTypePage).items
    assert {one.type_ for one in types} == {*EventTypeName}


def see_the_account(player: Player) -> None:
    client = player.client
    me = said(show_me.sync_detailed(client=client), Me)
    wish = NewToken("bot", scopes=[Scope.PLAY], expires_at=datetime.now(UTC) + timedelta(days=1))
    made = said(create_token.sync_detailed(client=client, body=wish), TokenWithSecret)
    assert made.created_at < made.expires_at
    tokens = said(list_tokens.sync_detailed(client=client), TokenPage).items
    assert {token.token_id for token in tokens} == {me.token.token_id, made.token_id}
    gone = delete_token.sync_detailed(made.token_id, client=client)
    assert gone.status_code is HTTPStatus.NO_CONTENT


def leave(player: Player) -> None:
    """Delete the account. A handle that is not its own deletes nothing."""
    client = player.client
    handle = said(show_me.sync_detailed(client=client), Me).handle
    slip = said(delete_me.sync_detailed(client=client, handle=f"{handle}0"), Problem)
    assert slip.code is ProblemCode.INVALID_PARAMETER
    gone = delete_me.sync_detailed(client=client, handle=handle)
    assert gone.status_code is HTTPStatus.NO_CONTENT
    refused = said(show_me.sync_detailed(client=client), Problem)
    assert refused.code is ProblemCode.TOKEN_INVALID


def see_a_match(player: Player, match_id: str) -> None:
    """The match must be over."""
    client = player.client
    listed = said(list_matches.sync_detailed(client=client, status=MatchStatus.FINISHED), MatchPage).items
    assert match_id in {match.match_id for match in listed}
    assert isinstance(show_event.sync(match_id, 1, client=client), MatchCreatedEvent)
    answer = show_state.sync_detailed(match_id, client=client)
    state = said(answer, State)
    assert (state.status, state.phase, state.active_seat) == (MatchStatus.FINISHED, None, None)
    again = show_state.sync_detailed(match_id, client=client, if_none_match=answer.headers["ETag"])
    assert (again.status_code, again.parsed) == (HTTPStatus.NOT_MODIFIED, None)
    legal = said(list_legal_commands.sync_detailed(match_id, client=client, explain=True), LegalCommands)
    assert (legal.commands, legal.unbuildable) == ([], [])
    look_back(player, match_id, state)


def look_back(player: Player, match_id: str, end: State) -> None:
    """The match must be over, with `end` on the table."""
    client = player.client
    asked = show_past_state.sync_detailed(match_id, end.version, client=client, embed="legal_commands,event")
    past = said(asked, PastState)
    assert (past.players, past.market, past.deadline) == (end.players, end.market, None)
    assert isinstance(past.event, DiceRevealedEvent)
    differing = show_diff.sync(match_id, client=client, from_=1, to=end.version)
    assert isinstance(differing, list)
    assert {type(one) for one in differing} == {PatchOperation}
    fairness = said(show_fairness.sync_detailed(match_id, client=client), Fairness)
    assert fairness.seed == past.event.data.seed
    assert [die.value for throw in fairness.throws for die in throw.dice] == [
        value for throw in fairness.throws for value in throw.values
    ]


def meet(player: Player, other: Player) -> None:
    """Make a match, let another join it, and call it off."""
    body = NewMatch(ruleset=RulesetId.BASE, seats=[MySeat(kind="me"), OpenSeat(kind="open")])
    match = said(create_match.sync_detailed(client=player.client, body=body), Match)
    assert (match.status, match.clock, match.position) == (MatchStatus.OPEN, None, None)
    joined = take_seat.sync_detailed(match.match_id, client=other.client, body=Join(seat=1))
    assert said(joined, Joined).status is MatchStatus.RUNNING
    aborted = abort_match.sync_detailed(match.match_id, client=player.client, body=Abort())
    assert said(aborted, Match).status is MatchStatus.ABORTED


def add_seeds(player: Player, other: Player) -> None:
    """Make a match whose seats add seeds to the dice: both commit, then both open theirs, and it starts."""
    dice = CommittedDice(mode="committed", seat_seeds=NewSeatSeeds())
    body = NewMatch(ruleset=RulesetId.BASE, seats=[MySeat(kind="me"), OpenSeat(kind="open")], dice=dice)
    match = said(create_match.sync_detailed(client=player.client, body=body), Match)
    assert match.seat_seeds is not None
    said(take_seat.sync_detailed(match.match_id, client=other.client, body=Join(seat=1)), Joined)
    seeds = [secrets.token_hex(16), secrets.token_urlsafe(32)]
    for seat, who in enumerate((player, other)):
        text = json.dumps([match.dice.commitment, seat, seeds[seat]], separators=(",", ":"))
        hashed = f"sha-256:{hashlib.sha256(text.encode()).hexdigest()}"
        commitment = SeatSeedCommitment(seat=seat, commitment=hashed)
        answer = commit_seat_seed.sync_detailed(match.match_id, client=who.client, body=commitment)
        match = said(answer, Match)
    for seat, who in enumerate((player, other)):
        opening = SeatSeedOpening(seat=seat, seed=seeds[seat])
        answer = open_seat_seed.sync_detailed(match.match_id, client=who.client, body=opening)
        match = said(answer, Match)
    assert match.status is MatchStatus.RUNNING

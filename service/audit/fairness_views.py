"""The derivation of the dice and draws of a match, so that anybody can recompute them."""

from flask import Response

from contract import audit as contract
from domain.match.chance import die_at, pick_at, table_key
from domain.match.fairness import Traced, TracedDraw, TracedFirstSeat, TracedSeatSeed, TracedThrow, trace
from domain.match.state import is_over
from events.matches.replay import recorded_events
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import cached_answer
from service.edge.guard import Limit
from service.matches.access import kept_for_ever, receipt_of, visible_match
from service.matches.match_views import ABOUT_MATCH, NOT_MODIFIED, RECEIPT
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("fairness", "The derivation of the dice, which anybody can recompute after a match.")


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/fairness",
    {200: Success("All random results so far.", contract.Fairness, RECEIPT), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    headers=("If-None-Match",),
    refusals=ABOUT_MATCH,
    limit=Limit.AUDITS,
)
def show_fairness(caller: Token | None, match_id: str) -> Response:
    """Show the derivation of every die, every drawn card and the first seat.

    The response has the commitment, the seeds of the seats, and each roll with the addresses of its dice.
    Once the match is over and the seed is revealed, it also has the digest of each address, the byte or
    number that determines the result, and the result itself, which must be the recorded one. Anybody can
    recompute all of it: docs/fairness.md explains how, and docs/vectors/dice.json has test vectors.
    """
    loaded = visible_match(match_id, caller)
    found = trace(recorded_events(services().matches.store, loaded))
    headers = kept_for_ever(loaded) if is_over(loaded.state) else receipt_of(loaded)
    return cached_answer(_fairness(match_id, found), str(loaded.version), headers)


def _fairness(match_id: str, found: Traced) -> contract.Fairness:
    created = found.state.created
    key = table_key(found.seed, found.seat_seeds) if found.seed is not None else None
    return contract.Fairness(
        match_id=match_id,
        version=found.state.version,
        mode=created.dice.mode,
        key_id=created.dice.key_id,
        commitment=created.dice.commitment,
        seat_seeds=found.seat_seeds,
        seat_commitments=tuple([_commitment(one) for one in found.seeds.values()]),
        seed=found.seed.hex() if found.seed is not None else None,
        table_key=key.hex() if key is not None else None,
        first_seat=_first_seat(found.first_seat, key) if found.first_seat is not None else None,
        throws=tuple([_throw(throw, key) for throw in found.throws]),
        draws=tuple([_draw(draw, key) for draw in found.draws]),
    )


def _commitment(one: TracedSeatSeed) -> contract.FairCommitment:
    return contract.FairCommitment(
        seat=one.seat,
        sequence=one.sequence,
        commitment=one.commitment or None,
        opened_sequence=one.opened,
        seed=one.seed or None,
    )


def _first_seat(first: TracedFirstSeat, key: bytes | None) -> contract.FairFirstSeat:
    return contract.FairFirstSeat(
        sequence=first.sequence,
        seat=first.seat,
        seats=first.seats,
        pick=_pick(first.stem, first.seats, key),
    )


def _throw(throw: TracedThrow, key: bytes | None) -> contract.FairThrow:
    return contract.FairThrow(
        sequence=throw.sequence,
        turn=throw.turn,
        seat=throw.seat,
        seat_turn=throw.seat_turn,
        purpose=throw.purpose,
        values=throw.values,
        scripted=not throw.stems,
        dice=tuple([_die(stem, key) for stem in throw.stems]),
    )


def _draw(draw: TracedDraw, key: bytes | None) -> contract.FairDraw:
    return contract.FairDraw(
        sequence=draw.sequence,
        row=draw.row,
        number=draw.number,
        card=draw.card,
        left=draw.left,
        deck=tuple([contract.CardsLeft(card=card, copies=copies) for card, copies in draw.deck]),
        pick=_pick(draw.stem, draw.left, key) if draw.stem else None,
    )


def _die(stem: str, key: bytes | None) -> contract.FairDie:
    if key is None:
        return contract.FairDie(address=stem, digest=None, byte_index=None, byte=None, value=None)
    die = die_at(key, stem)
    return contract.FairDie(
        address=die.address,
        digest=die.digest.hex(),
        byte_index=die.byte_index,
        byte=die.byte,
        value=die.value,
    )


def _pick(stem: str, left: int, key: bytes | None) -> contract.FairPick:
    if key is None:
        return contract.FairPick(address=stem, digest=None, number_index=None, number=None, place=None)
    pick = pick_at(key, stem, left)
    return contract.FairPick(
        address=pick.address,
        digest=pick.digest.hex(),
        number_index=pick.number_index,
        number=pick.number,
        place=pick.place,
    )

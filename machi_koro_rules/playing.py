"""What built-in players do at a table: their choices, and many matches by the kernel.

Both need numpy for players with a network, and are therefore imported only when they are used.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from domain import legal_commands, view
from domain.match.chance import MatchChance
from domain.match.commands import PlayCommand
from domain.match.state import MatchState, seat_to_act
from machi_koro_rules.game import Playouts

if TYPE_CHECKING:
    from players import Policy

_MISSING: Final = "built-in players need the package {name}: install machi-koro-rules[players]"


def built_in() -> "Mapping[str, Policy]":
    """The built-in players by name.

    Raises:
        ImportError: numpy is missing.
    """
    try:
        from players import PLAYERS
    except ImportError as error:
        raise ImportError(_MISSING.format(name=error.name), name=error.name) from None
    return PLAYERS


def choice(state: MatchState, chance: MatchChance, player: str) -> PlayCommand:
    """The player's command, with the random numbers that it has on the service.

    Raises:
        ValueError: there is no such player, or nobody is to act.
        ImportError: numpy is missing.
    """
    known = built_in()
    if player not in known:
        raise ValueError(f"the player must be one of {', '.join(known)}, not {player!r}")
    _require_running(state)
    legal = legal_commands(state)
    if len(legal) == 1:
        return legal[0]
    return known[player](view(state), legal, chance.random_numbers(state.version))


def played_out(state: MatchState, players: Sequence[str], matches: int, seed: int) -> Playouts:
    """Many matches from the table on; see `Game.playouts`.

    Raises:
        ValueError: there is no such player, another number of them, no network for one of them, nobody is to
            act, or no match to play.
        ImportError: numpy is missing.
    """
    from kernel.convert import row_of
    from kernel.engine import engine
    from kernel.layout import POLICIES
    from kernel.play import Simulator

    seats = state.rules.seats
    if len(players) not in (1, seats):
        raise ValueError(f"there must be 1 player or {seats}, not {len(players)}")
    unknown = [name for name in players if name not in POLICIES]
    if unknown:
        raise ValueError(f"the kernel has the players {', '.join(POLICIES)}, not {unknown[0]!r}")
    if matches < 1:
        raise ValueError(f"there must be 1 match or more, not {matches}")
    _require_running(state)
    policies = players if len(players) == seats else tuple(players) * seats
    simulator = Simulator(engine(), state.rules, _weights(state, policies))
    results = simulator.play_on([row_of(state)], policies, seed, matches)
    winners = tuple([one.winner for one in results])
    chances = tuple([winners.count(seat) / matches for seat in range(seats)])
    return Playouts(chances, winners, tuple([one.turn for one in results]))


def _weights(state: MatchState, policies: Sequence[str]) -> Any:
    """The network that some of the policies need, or None.

    Raises:
        ValueError: no network was trained for the ruleset.
    """
    needing = sorted({"learned", "quick"} & {*policies})
    if not needing:
        return None
    built_in()
    from players.weight_files import has_weights, weights_for

    if not has_weights(state.rules.ruleset.id):
        raise ValueError(f"{needing[0]!r} needs a network, and none was trained for {state.rules.ruleset.id}")
    return weights_for(state.rules.ruleset.id, state.resigned.count(False))


def _require_running(state: MatchState) -> None:
    if seat_to_act(state) is None:
        raise ValueError("the match is over, so nobody is to act")

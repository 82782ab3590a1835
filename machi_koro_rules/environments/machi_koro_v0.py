"""Machi Koro for PettingZoo: `machi_koro_v0.env()` is an AEC environment; see docs/environments.md."""

from typing import Any

from gymnasium.utils import EzPickle
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from domain.match.commands import PlayCommand
from domain.match.decide.turns import default_command
from machi_koro_rules.environments.aec import MatchEnv
from machi_koro_rules.environments.encoding import encoding_of
from machi_koro_rules.environments.games import ILLEGAL, Illegal, LocalMatch, seeds_from, setup_of
from machi_koro_rules.game import SEED_SIZE

__all__ = ["env", "parallel_env", "raw_env"]


def env(*, illegal_actions: Illegal = "terminate", **arguments: Any) -> AECEnv[str, Any, Any]:
    """The environment with the usual wrappers; the arguments are those of `raw_env`.

    An illegal action ends the match: -1 for its agent, 0 for the others. With `illegal_actions="default"` the
    match goes on with the command that the rules give for an absent player.

    Raises:
        ValueError: there is no such ruleset, option, number of seats or render mode, or a limit is below 1.
    """
    made: Any = raw_env(illegal_actions=illegal_actions, **arguments)
    if illegal_actions == "terminate":
        made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


def parallel_env(*, max_cycles: int | None = None, **arguments: Any) -> ParallelEnv[str, Any, Any]:
    """The same matches; each step takes an action of every agent and carries out that of the seat to act.

    `max_cycles` limits the steps; the other arguments are those of `env`.
    """
    return turn_based_aec_to_parallel(env(max_steps=max_cycles, **arguments))


class raw_env(MatchEnv, EzPickle):  # noqa: N801  # PettingZoo's name
    """The environment without wrappers; an illegal action raises ValueError, unless a default is played."""

    def __init__(
        self,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        max_steps: int | None = None,
        illegal_actions: Illegal = "terminate",
        **options: Any,
    ) -> None:
        """`options` are `ruleset`, `seats` and the others of `games.Setup`.

        After `max_cycles` actions of one agent, or `max_steps` of all together, the match is truncated.

        Raises:
            ValueError: as `env`.
        """
        EzPickle.__init__(
            self,
            render_mode=render_mode,
            max_cycles=max_cycles,
            max_steps=max_steps,
            illegal_actions=illegal_actions,
            **options,
        )
        if illegal_actions not in ILLEGAL:
            raise ValueError(f"illegal_actions must be {' or '.join(ILLEGAL)}, not {illegal_actions!r}")
        if any(limit is not None and limit < 1 for limit in (max_cycles, max_steps)):
            raise ValueError("max_cycles and max_steps must be 1 or more")
        self._setup = setup_of(**options)
        MatchEnv.__init__(
            self, encoding_of(self._setup.rules), tuple(range(self._setup.seats)), render_mode=render_mode
        )
        self._plays_default = illegal_actions == "default"
        self._max_cycles, self._max_steps = max_cycles, max_steps
        self._seeds = seeds_from(None)

    def begin(self, seed: int | None) -> LocalMatch:
        if seed is not None:
            self._seeds = seeds_from(seed)
        return LocalMatch(self._setup, self._seeds.randbytes(SEED_SIZE))

    def is_cut_off(self) -> bool:
        cycles, steps = self.given[self.agent_selection], sum(self.given.values())
        return self._max_cycles == cycles or self._max_steps == steps

    def command_instead(self, action: int) -> PlayCommand:
        return default_command(self._match.state) if self._plays_default else super().command_instead(action)

"""Machi Koro for Gymnasium: one seat against built-in players; see docs/environments.md.

Importing this module registers `MachiKoro-v0`.
"""

import random
from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium

from domain import legal_commands, view
from domain.match.decide.turns import default_command
from domain.match.state import seat_to_act
from machi_koro_rules.environments.encoding import Mask, encoding_of
from machi_koro_rules.environments.games import ILLEGAL, Illegal, LocalMatch, returns, setup_of
from machi_koro_rules.environments.spaces import (
    HUMAN,
    RENDER_MODES,
    Observation,
    action_space,
    observation_space,
    render,
    require_render_mode,
)
from machi_koro_rules.game import SEED_SIZE
from players import PLAYERS

__all__ = ["SingleSeatEnv"]


class SingleSeatEnv(gymnasium.Env[Observation, int]):
    """Matches of one seat. A step is one decision of it, and all of the others up to its next one."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # type: ignore[misc]

    def __init__(
        self,
        *,
        opponents: Sequence[str] = ("greedy",),
        seat: int | None = None,
        illegal_actions: Illegal = "terminate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """`opponents` are built-in players, clockwise from the seat. Without `seat`, each match draws one.

        `options` are `ruleset` and the others of `games.Setup`, except `seats`. An illegal action ends the
        match with -1. With `illegal_actions="default"` the command for an absent player takes its place.

        Raises:
            ValueError: there is no such player, ruleset, option, number of seats or render mode.
        """
        unknown = [name for name in opponents if name not in PLAYERS]
        if unknown or isinstance(opponents, str):
            raise ValueError(f"opponents must be a sequence of {', '.join(PLAYERS)}, not {opponents!r}")
        if illegal_actions not in ILLEGAL:
            raise ValueError(f"illegal_actions must be {' or '.join(ILLEGAL)}, not {illegal_actions!r}")
        require_render_mode(render_mode)
        self._setup = setup_of(seats=len(opponents) + 1, **options)
        if seat is not None and not 0 <= seat <= len(opponents):
            raise ValueError(f"the seat must be 0 to {len(opponents)}, not {seat}")
        self._opponents = tuple(opponents)
        self._wanted_seat = seat
        self._ends_when_illegal = illegal_actions == "terminate"
        self.render_mode = render_mode
        self.encoding = encoding_of(self._setup.rules)
        self.observation_space = observation_space(self.encoding)
        self.action_space = action_space(self.encoding)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a match and play to the first decision of the seat; `options` has none that are known."""
        super().reset(seed=seed)
        draw = self.np_random
        self.seat = int(draw.integers(self._setup.seats)) if self._wanted_seat is None else self._wanted_seat
        self._rng = random.Random(draw.bytes(SEED_SIZE))
        self._match = LocalMatch(self._setup, draw.bytes(SEED_SIZE))
        self._play_others()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out the action, then play to the next decision of the seat or the end of the match.

        Raises:
            ValueError: the match is over, or there is no such action.
        """
        state = self._match.state
        if seat_to_act(state) is None:
            raise ValueError("the match is over: reset the environment")
        command = self.encoding.command(self.seat, int(action))
        if not self.action_masks()[action]:
            if self._ends_when_illegal:
                return self._observe(), -1.0, True, False, self._info()
            command = default_command(state)
        self._match.act(command)
        self._play_others()
        is_over = seat_to_act(state) is None
        return self._observe(), returns(state)[self.seat], is_over, False, self._info()

    def action_masks(self) -> Mask:
        """1 for each legal action, else 0; the name is that of sb3-contrib."""
        return self.encoding.mask(self._match.state, self.seat)

    def render(self) -> str | None:
        """The table as text: returned in the mode `ansi`, printed in the mode `human`."""
        return render(self._match.state, self.render_mode)

    def _play_others(self) -> None:
        state = self._match.state
        while (seat := seat_to_act(state)) not in (self.seat, None):
            choose = PLAYERS[self._opponents[(seat - self.seat - 1) % self._setup.seats]]
            self._match.act(choose(view(state), legal_commands(state), self._rng))
        if self.render_mode == HUMAN:
            self.render()

    def _observe(self) -> Observation:
        return {
            "observation": self.encoding.observe(self._match.state, self.seat),
            "action_mask": self.action_masks(),
        }

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "seat": self.seat}


gymnasium.register("MachiKoro-v0", entry_point=f"{__name__}:{SingleSeatEnv.__name__}")

"""What agents see, as spaces of Gymnasium, and how people are shown a table: the same in all environments."""

from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces

from domain.match.state import MatchState
from machi_koro_rules.environments.encoding import Encoding, Mask, Vector
from machi_koro_rules.text import text_of

Observation: TypeAlias = dict[str, Vector | Mask]
"""`observation` and `action_mask`, as PettingZoo's games have them."""

ANSI = "ansi"
HUMAN = "human"
RENDER_MODES = (HUMAN, ANSI)


def observation_space(encoding: Encoding) -> spaces.Space[Any]:
    """The space of observations."""
    return spaces.Dict(
        {
            "observation": spaces.Box(encoding.low, encoding.high, dtype=np.int32),
            "action_mask": spaces.Box(0, 1, (encoding.actions,), np.int8),
        }
    )


def action_space(encoding: Encoding) -> spaces.Space[Any]:
    """The space of actions, most of which are illegal at any time."""
    return spaces.Discrete(encoding.actions)


def require_render_mode(render_mode: str | None) -> None:
    """Raise ValueError unless a table can be shown that way."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be {' or '.join(RENDER_MODES)}, not {render_mode!r}")


def render(state: MatchState, render_mode: str | None) -> str | None:
    """The table as text in the mode `ansi`; `human` prints it, and None warns that nothing is shown."""
    if render_mode == ANSI:
        return text_of(state)
    if render_mode == HUMAN:
        print(text_of(state))
    else:
        gymnasium.logger.warn("this environment was made without a render_mode, so it shows nothing")
    return None

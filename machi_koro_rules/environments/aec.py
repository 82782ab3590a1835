"""The agents of PettingZoo around a match, whether it runs here or on a service.

An agent acts whenever its seat has to decide. A turn is several actions, such as a roll and a build.
"""

from typing import Any, ClassVar

from gymnasium.spaces import Space
from pettingzoo import AECEnv

from domain.match.state import seat_to_act
from machi_koro_rules.environments.encoding import Encoding
from machi_koro_rules.environments.games import OngoingMatch, agent_name, returns
from machi_koro_rules.environments.spaces import (
    HUMAN,
    RENDER_MODES,
    Observation,
    action_space,
    observation_space,
    render,
    require_render_mode,
)


class MatchEnv(AECEnv[str, Observation, int | None]):
    """Plays one match after the other; `begin` says where."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "name": "machi_koro_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
    }

    def __init__(self, encoding: Encoding, seats: tuple[int, ...], render_mode: str | None = None) -> None:
        require_render_mode(render_mode)
        super().__init__()  # type: ignore[no-untyped-call]  # pettingzoo has some without annotations
        self.encoding = encoding
        self.render_mode = render_mode
        self.possible_agents = [agent_name(seat) for seat in seats]
        self.agents = []
        self._seats = dict(zip(self.possible_agents, seats, strict=True))
        self.observation_spaces = {agent: observation_space(encoding) for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(encoding) for agent in self.possible_agents}

        self.given: dict[str, int] = {}
        """By agent: how many actions it has given in this match."""

    def begin(self, seed: int | None) -> OngoingMatch:
        """The next match: one of the agents is to act, or it is over already."""
        raise NotImplementedError

    def is_cut_off(self) -> bool:
        """Whether the match ends here, before the next action."""
        return False

    def command_instead(self, action: int) -> Any:
        """The command to carry out for an illegal action. Raises: ValueError if there is none."""
        raise ValueError(f"action {action} is not legal: {self.agent_selection} gave it")

    def observation_space(self, agent: str) -> Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next match. `options` has none that this environment knows."""
        self.agents = self.possible_agents[:]
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.given = dict.fromkeys(self.agents, 0)
        self._match = self.begin(seed)
        self._look()

    def step(self, action: int | None) -> None:
        """Carry out the action of the agent that is to act; None for one whose match is over.

        Raises:
            ValueError: the action is not legal, and nothing is done for illegal ones.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act, and None is no action")
        is_legal = 0 <= action < self.encoding.actions and self._masks[agent][action]
        chosen = self.encoding.command(self._seats[agent], int(action)) if is_legal else None
        command = self.command_instead(action) if chosen is None else chosen
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._match.act(command)
        self.given[agent] += 1
        self._look()
        self._accumulate_rewards()

    def _look(self) -> None:
        """Say who is to act, which actions are legal, and what it came to if the match is over."""
        state = self._match.state
        seat = seat_to_act(state)
        if seat is None:
            won = returns(state)
            self.rewards = {agent: won[self._seats[agent]] for agent in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = agent_name(seat)
            if self.is_cut_off():
                self.truncations = dict.fromkeys(self.agents, True)
        self._masks = {agent: self.encoding.mask(state, seat) for agent, seat in self._seats.items()}
        self.infos = {agent: {"action_mask": mask} for agent, mask in self._masks.items()}
        if self.render_mode == HUMAN:
            self.render()

    def observe(self, agent: str) -> Observation:
        """What the agent sees; all actions are illegal while it is not to act."""
        vector = self.encoding.observe(self._match.state, self._seats[agent])
        return {"observation": vector, "action_mask": self._masks[agent].copy()}

    def render(self) -> str | None:
        """The table as text: returned in the mode `ansi`, printed in the mode `human`."""
        return render(self._match.state, self.render_mode)

    def close(self) -> None:
        """There is nothing to release."""

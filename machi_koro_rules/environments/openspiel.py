"""Machi Koro for OpenSpiel: importing this module registers `python_machi_koro`; see docs/environments.md."""

from typing import Any, Final

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from domain import decide, fold
from domain.match.commands import CreateMatch, PlayCommand
from domain.match.decide.turns import TURN_LIMIT
from domain.match.state import MatchState, is_over
from machi_koro_rules.environments.chance_nodes import ListedChance, Open, Outcomes, outcome_names
from machi_koro_rules.environments.encoding import Encoding, encoding_of
from machi_koro_rules.environments.games import returns, setup_of
from machi_koro_rules.text import text_of

__all__ = ["MachiKoroGame", "MachiKoroState"]

_DEFAULTS: Final[dict[str, Any]] = {
    "ruleset": "base",
    "players": 2,
    "first_seat": -1,
    "box": "",
    "market": "",
    "max_copies": 0,
}
"""The parameters of the game. -1, empty and 0 stand for what `games.Setup` has by default."""

_GAME_TYPE: Final = pyspiel.GameType(
    short_name="python_machi_koro",
    long_name="Machi Koro",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=5,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_DEFAULTS,
)


class MachiKoroGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """The game with its parameters."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Raises: ValueError, as `games.Setup.begin`."""
        chosen = {**_DEFAULTS, **(params or {})}
        self.setup = setup_of(
            ruleset=chosen["ruleset"],
            seats=chosen["players"],
            first_seat=None if chosen["first_seat"] == -1 else chosen["first_seat"],
            box=chosen["box"] or None,
            market=chosen["market"] or None,
            max_copies=chosen["max_copies"] or None,
        )
        rules = self.setup.rules
        self.encoding = encoding_of(rules)
        # In a turn each phase comes once, except trades, demolitions and gifts, of which each copy of a card
        # allows one; no roll brings two of them.
        decisions = self.encoding.phases + max(rules.copies) + rules.seats
        info = pyspiel.GameInfo(
            num_distinct_actions=self.encoding.actions,
            max_chance_outcomes=len(outcome_names(rules)),
            num_players=rules.seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=TURN_LIMIT * decisions,
        )
        super().__init__(_GAME_TYPE, info, params or {})
        self.start = _Position(self.encoding, None, self.setup.creation)

    def new_initial_state(self) -> "MachiKoroState":
        return MachiKoroState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """An observer of the table; with perfect recall, or of private information, of the history alone."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return MachiKoroObserver(self)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class _Position:
    """A match between two events of chance. It is never changed, so copies of a state share it."""

    def __init__(
        self,
        encoding: Encoding,
        match: MatchState | None,
        command: CreateMatch | PlayCommand,
        outcomes: tuple[int, ...] = (),
    ) -> None:
        """Carry out the command, as far as the outcomes are known; `match` is its state before."""
        self.encoding = encoding
        self.match = match
        """The match after the command; before it, while an outcome is open; None before the first one."""
        self.command = command
        self.outcomes = outcomes
        self.open: Outcomes = []
        """What the next outcome of the command can be; empty if nothing is open."""
        try:
            events = decide(match, command, ListedChance(outcomes))
        except Open as more:
            self.open = more.outcomes
        else:
            self.match = fold(None if match is None else match.copy(), events)

    def __deepcopy__(self, memo: object) -> "_Position":
        return self

    @property
    def table(self) -> MatchState:
        """The match, which has started."""
        assert self.match is not None
        return self.match

    @property
    def is_over(self) -> bool:
        return not self.open and is_over(self.table)

    def after(self, action: int) -> "_Position":
        """The position after that action of the seat to act, or that outcome."""
        if self.open:
            return _Position(self.encoding, self.match, self.command, (*self.outcomes, action))
        return _Position(self.encoding, self.match, self.encoding.command(self.table.active, action))


class MachiKoroState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A state of the game: a decision of a seat, an open outcome of chance, or the end."""

    def __init__(self, game: MachiKoroGame) -> None:
        super().__init__(game)
        self._position = game.start

    @property
    def match(self) -> MatchState | None:
        """The match as it was before the open events of chance; None before its start. Not to be changed."""
        return self._position.match

    def current_player(self) -> int:
        position = self._position
        if position.open:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if position.is_over else position.table.active

    def is_terminal(self) -> bool:
        return self._position.is_over

    def returns(self) -> list[float]:
        position = self._position
        return list(returns(position.table)) if position.is_over else [0.0] * self.num_players()

    def chance_outcomes(self) -> Outcomes:
        return self._position.open

    def _legal_actions(self, player: int) -> list[int]:
        return self._position.encoding.legal_actions(self._position.table)

    def _apply_action(self, action: int) -> None:
        self._position = self._position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        encoding = self._position.encoding
        if player == pyspiel.PlayerId.CHANCE:
            return outcome_names(encoding.rules)[action]
        command = encoding.command(player, action)
        members = [str(getattr(command, name)) for name in command.__struct_fields__ if name != "seat"]
        return " ".join([command.type, *members])

    def __str__(self) -> str:
        position = self._position
        lines = [text_of(position.match)] if position.match is not None else []
        if position.open:
            names = outcome_names(position.encoding.rules)
            lines.append("; ".join(["chance", *[names[outcome] for outcome in position.outcomes]]))
        return "\n".join(lines)


class MachiKoroObserver:
    """What a seat sees: the members of `Encoding.fields`, of the last decision during events of chance."""

    def __init__(self, game: MachiKoroGame) -> None:
        self._encoding = game.encoding
        self.tensor = np.zeros(len(game.encoding.low), np.float32)
        self.dict = {name: self.tensor[place] for name, place in game.encoding.fields.items()}

    def set_from(self, state: MachiKoroState, player: int) -> None:
        """Fill `tensor`, and so `dict`; with zeros before the match has started."""
        match = state.match
        self.tensor[:] = 0 if match is None else self._encoding.observe(match, player)

    def string_from(self, state: MachiKoroState, player: int) -> str:
        return str(state)


pyspiel.register_game(_GAME_TYPE, MachiKoroGame)

"""The secret seeds of matches. Each derives from a master key and the match id, and none is stored.

The last event of a match reveals its seed; until then, it is secret. Secrets for other purposes derive from
the same master keys.
"""

import hmac
from functools import lru_cache

from msgspec.structs import replace

from domain.ladder.derivation import round_of
from domain.ladder.events import PublicValue
from domain.ladder.state import Round
from domain.match.chance import MatchChance, chance_of, commitment, seed_in_round
from domain.match.events import Dice
from runtime import key_lists


class Seeds:
    """Derives match seeds. The first master key is for new matches, the others for matches that name them."""

    def __init__(self, master_keys: str) -> None:
        """Read `key_id:hex[,key_id:hex…]`.

        Raises:
            ValueError: the text is malformed, a key has fewer than 16 bytes, or an id is repeated. The
                message contains no key.
        """
        self._keys = key_lists.master_keys(master_keys)
        self.newest: str = next(iter(self._keys))
        """The id of the key for new matches."""
        self._derived = lru_cache(maxsize=4096)(self._derive)

    def __repr__(self) -> str:
        return f"<Seeds {', '.join(self._keys)}>"

    def has_key(self, key_id: str) -> bool:
        """Whether seeds from the master key with that id can be derived."""
        return key_id in self._keys

    def match_seed(self, key_id: str, match_id: str) -> bytes:
        """The 32 bytes from which all dice and draws of a match derive.

        Raises:
            LookupError: there is no master key with that id (any more).
        """
        return self._derived(key_id, match_id)

    def round_seed(self, key_id: str, round_of: str) -> bytes:
        """The 32 bytes from which the match seeds of a ladder's round derive; `round_of` as in `Dice`.

        Raises:
            LookupError: see `match_seed`.
        """
        return self._derived(key_id, f"round:{round_of}")  # no match id begins like that

    def public_value(self, ladder_id: str, number: int, source: str, at_ms: int) -> PublicValue:
        """The public value of a new round of a ladder: its source and time, and the commitment to the round's
        seed."""
        seed = self.round_seed(self.newest, round_of(ladder_id, number, at_ms))
        return PublicValue(source, at_ms, commitment(seed), self.newest)

    def seed_to_reveal(self, ladder_id: str, round: Round) -> str:
        """The seed of a round that ends, in hex; empty if the round has no public value.

        Raises:
            LookupError: see `match_seed`.
        """
        bound = round.public_value
        if bound is None:
            return ""
        return self.round_seed(bound.key_id, round_of(ladder_id, round.number, bound.at_ms)).hex()

    def secret_for(self, key_id: str, purpose: str) -> bytes:
        """32 secret bytes for a purpose other than the dice of a match; always the same for one purpose.

        Raises:
            LookupError: see `match_seed`.
        """
        return self._derived(key_id, f"purpose:{purpose}")  # no match id begins like that

    def _derive(self, key_id: str, label: str) -> bytes:
        if key_id not in self._keys:
            raise LookupError(f"no master key {key_id!r}")
        return hmac.digest(self._keys[key_id], label.encode(), "sha256")

    def chance(self, dice: Dice, match_id: str) -> MatchChance:
        """The source of the dice and draws of a match. Not safe to share among threads.

        Raises:
            LookupError: see `match_seed`.
        """
        return chance_of(dice, self._seed(dice, dice.key_id, match_id))

    def new_dice(self, dice: Dice, match_id: str) -> Dice:
        """The dice of a new match with their key and commitment.

        Scripted dice have both too, since the cards and the first seat are still drawn from the seed. The
        dice of a branch that uses the seed of another match already have that match's key and commitment; the
        dice of a round already have the key of the round.
        """
        if dice.seed_of:
            return dice
        key_id = dice.key_id if isinstance(dice.round_of, str) else self.newest
        seed = self._seed(dice, key_id, match_id)
        return replace(dice, key_id=key_id, commitment=commitment(seed))

    def _seed(self, dice: Dice, key_id: str, match_id: str) -> bytes:
        seed_of = dice.seed_of or match_id
        if isinstance(dice.round_of, str):
            return seed_in_round(self.round_seed(key_id, dice.round_of), seed_of)
        return self.match_seed(key_id, seed_of)

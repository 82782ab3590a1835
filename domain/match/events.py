"""Everything that can have happened in a match: small frozen facts, in the past tense.

An event is complete: `evolve` applies it by arithmetic alone, so a later change of the rules cannot change
what an old match means. Names and members are for ever. A stored event is a JSON array of its tag and its
members in the order they stand here; a new member goes to the end and has a default.
"""

from typing import Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field


class Options(Struct, frozen=True, gc=False):
    """The options of a match, resolved: nothing is left to a default that could change."""

    box: str = ""
    """`four_player`, `five_player`, or empty where the ruleset has one box."""
    market: str = "open"
    """`open`, `limited` or `rows`."""
    max_copies: int | None = None
    """The beginners' limit on equal establishments in one city; None for no limit."""
    card_costs: dict[str, int] = field(default_factory=dict)
    """Prices that differ from the catalogue, by card id."""


class Clock(Struct, frozen=True, gc=False):
    """How long a seat may think, and what happens when it does not answer."""

    decision_ms: int
    on_timeout: str
    """`default_command`, `strategy` or `forfeit`."""


class SeatSeeds(Struct, frozen=True, gc=False):
    """How accounts add seeds to the dice: each commits to one, and opens it when all have committed."""

    within_ms: int
    """How long the match waits, after its last event, for the commitments and seeds that are due: 1,000 to
    86,400,000 ms."""


class Dice(Struct, frozen=True, gc=False):
    """Where the dice of a match come from."""

    mode: str
    """`committed` (a secret seed, revealed at the end) or `scripted` (an analysis board)."""
    key_id: str = ""
    commitment: str = ""
    """`sha-256:` and the hex digest of the match seed. With scripted dice the seed is for draws alone."""
    throws: tuple[tuple[int, ...], ...] = ()
    """The tape of scripted dice, used up in order."""
    seed_of: str = ""
    """The match whose seed it is, where it is not the match's own: a branch with the same dice."""
    seat_seeds: SeatSeeds | UnsetType = UNSET
    """Only in matches whose seats commit to seeds; the others are recorded without it."""
    round_of: str | UnsetType = UNSET
    """`<ladder id>|<round>|<moment of its value in ms>`: the match seed follows from the seed of that round.
    Only in rounds of ladders with a public value; the others are recorded without it."""


class Origin(Struct, frozen=True, gc=False):
    """Where a branch comes from."""

    match_id: str
    version: int
    """The branch goes on from the state after that event, the last one of its command."""
    head_hash: str
    """`sha-256:` and the hex digest: the hash of that event."""
    dice: str
    """`same` (the origin's seed, or what was left of its tape), `fresh` or `scripted`."""


class PositionPlayer(Struct, frozen=True, gc=False):
    """One city of a given table."""

    coins: int
    establishments: dict[str, int]
    landmarks: tuple[str, ...]


class PositionRow(Struct, frozen=True, gc=False):
    """One row of a given market: what lies face up and what is still to be drawn."""

    name: str
    face_up: dict[str, int]
    deck: tuple[str, ...] | None = None
    """From the top. None: the cards left in the box, drawn by the match's dice."""


class Position(Struct, frozen=True, gc=False):
    """A given table to start from."""

    active_seat: int
    phase: str
    """`roll`, `build` or `setup`."""
    players: tuple[PositionPlayer, ...]
    rows: tuple[PositionRow, ...] | None = None
    """None: the whole box less what the cities hold."""


class _Event(Struct, frozen=True, array_like=True, gc=False):
    """The shape that all events share."""


class MatchCreated(_Event, frozen=True, array_like=True, tag="match_created"):
    """A match was made, by these rules and with these dice; all that its course depends on stands here."""

    ruleset: str
    rules_version: str
    digest: str
    """`sha-256:` and the digest of the ruleset's tables."""
    options: Options
    seats: int
    first_seat: int | None
    dice: Dice
    creator: str
    """The account that made the match."""
    clock: Clock | None = None
    position: Position | None = None
    visibility: str = "public"
    tags: tuple[str, ...] = ()
    origin: Origin | None = None
    """The match that this one branches off from; None for a match of its own."""


class SeatTaken(_Event, frozen=True, array_like=True, tag="seat_taken"):
    """An account or a built-in player has a seat."""

    seat: int
    kind: str
    """`account` or `strategy`."""
    id: str
    """The account id, or the strategy's name."""
    name: str
    version: str = ""
    """The strategy's version; empty for an account."""
    seed: str = ""
    """What the seat adds to the seed of the dice."""


class SeatReserved(_Event, frozen=True, array_like=True, tag="seat_reserved"):
    """A seat is kept free for an account that was invited to it."""

    seat: int
    id: str
    """The account id."""
    name: str


class ReservationEnded(_Event, frozen=True, array_like=True, tag="reservation_ended"):
    """The account that was invited does not come: the seat is open for anybody."""

    seat: int
    reason: str
    """`declined` by the account, or `withdrawn` by the creator of the match."""


class SeatSeedCommitted(_Event, frozen=True, array_like=True, tag="seat_seed_committed"):
    """A seat committed to the seed that it will add to the dice."""

    seat: int
    commitment: str
    """`sha-256:` and the hex digest of the canonical JSON of an array: the commitment of the match's
    dice, the seat, and its seed."""


class SeatSeedForgone(_Event, frozen=True, array_like=True, tag="seat_seed_forgone"):
    """A seat did not commit to a seed in time, and adds none."""

    seat: int


class SeatSeedOpened(_Event, frozen=True, array_like=True, tag="seat_seed_opened"):
    """A seat told the seed that it had committed to, after every seat had committed or forgone its seed."""

    seat: int
    seed: str


class SeatSeedWithheld(_Event, frozen=True, array_like=True, tag="seat_seed_withheld"):
    """A seat did not open in time what it had committed to; the match is called off."""

    seat: int


class MatchStarted(_Event, frozen=True, array_like=True, tag="match_started"):
    """All seats are taken: what everybody has, and what lies on the table."""

    first_seat: int
    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    """By seat: establishments and built landmarks, by card id."""
    supply: dict[str, int]
    """What lies face up before the rows are filled."""
    decks: dict[str, int]
    """What can still be drawn, by card id."""
    deck_orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Decks whose order was given, by row, from the top."""


class BranchStarted(_Event, frozen=True, array_like=True, tag="branch_started"):
    """The match begins as another one stood: here is all that its further course depends on."""

    first_seat: int
    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    """By seat: establishments and built landmarks, by card id."""
    supply: dict[str, int]
    """What lies face up."""
    decks: dict[str, int]
    """What can still be drawn, by card id."""
    deck_orders: dict[str, tuple[str, ...]]
    """Decks whose order was given and is kept, by row, from the top."""
    draws: dict[str, int]
    """By row: how many cards have been drawn, those of the origin counted."""
    resigned: tuple[int, ...]
    """Seats that play no more."""
    turn: int
    seat: int
    """The active seat."""
    phase: str
    """`setup`, `roll`, `build`, or that of the open choice."""
    extra: bool
    round: int
    """The building round, from 1; 0 outside of them."""
    seat_turns: tuple[int, ...]
    """By seat: how many turns it has begun, this one counted."""
    values: tuple[int, ...]
    """The throw that counts; empty before the first of the turn."""
    total: int
    added: int
    """What the total holds beside the throw."""
    rerolled: bool
    received: int
    """Coins that came to the active seat since the dice fell."""
    extra_turn_due: bool
    """Another turn of the active seat follows this one."""
    card: str
    """The card that the open choice is about; empty if none is open."""
    copies: int
    """How many copies of that card are still to be answered for."""


class TurnStarted(_Event, frozen=True, array_like=True, tag="turn_started"):
    """A seat's turn, or its part of a building round, begins."""

    turn: int
    """Counts all turns of the match from 1."""
    seat: int
    phase: str = "roll"
    """`roll`, `setup` for a building round, or `build` where a position starts there."""
    extra: bool = False
    round: int = 0
    """The building round, from 1; 0 outside of them."""


class DiceRolled(_Event, frozen=True, array_like=True, tag="dice_rolled"):
    """Dice were thrown."""

    purpose: str
    """`roll`, `reroll` or `boats`."""
    values: tuple[int, ...]
    total: int


class ChoiceRequested(_Event, frozen=True, array_like=True, tag="choice_requested"):
    """The turn waits for an answer; its effects go on behind it."""

    seat: int
    phase: str
    """`reroll`, `add_two`, `take_coins`, `swap` or `give`."""
    card: str
    copies: int = 1
    """How many copies of the card are still to be answered for, this one counted."""


class DiceKept(_Event, frozen=True, array_like=True, tag="dice_kept"):
    """The seat left its throw as it was."""

    seat: int
    declined: str
    """What was declined: `reroll` or `add_two`."""
    total: int


class TwoAdded(_Event, frozen=True, array_like=True, tag="two_added"):
    """The seat added two to its throw."""

    seat: int
    total: int


class IncomeReceived(_Event, frozen=True, array_like=True, tag="income_received"):
    """The bank pays a seat."""

    seat: int
    card: str
    copies: int
    coins: int


class PaymentMade(_Event, frozen=True, array_like=True, tag="payment_made"):
    """A seat pays a seat; what it cannot pay lapses."""

    from_seat: int
    to_seat: int
    card: str
    copies: int
    owed: int
    """What the card asks for, in coins."""
    paid: int
    """What really moved."""


class TargetChosen(_Event, frozen=True, array_like=True, tag="target_chosen"):
    """The seat chose whom a card takes coins from."""

    seat: int
    card: str
    target: int


class EstablishmentsSwapped(_Event, frozen=True, array_like=True, tag="establishments_swapped"):
    """Two seats traded one establishment each."""

    seat: int
    give: str
    with_seat: int
    take: str


class SwapDeclined(_Event, frozen=True, array_like=True, tag="swap_declined"):
    """The seat traded nothing."""

    seat: int


class EstablishmentGiven(_Event, frozen=True, array_like=True, tag="establishment_given"):
    """A seat gave an establishment away."""

    seat: int
    card: str
    to_seat: int


class CoinsLevelled(_Event, frozen=True, array_like=True, tag="coins_levelled"):
    """All purses were pooled and shared out again."""

    seat: int
    card: str
    coins: tuple[int, ...]
    """The purses afterwards, by seat."""
    from_bank: int
    """What the bank added so that all could be rounded up."""


class HelpReceived(_Event, frozen=True, array_like=True, tag="help_received"):
    """The bank helped out a seat with an empty purse before it built."""

    seat: int
    coins: int


class EstablishmentBuilt(_Event, frozen=True, array_like=True, tag="establishment_built"):
    """The seat built an establishment, and ends its turn with it."""

    seat: int
    card: str
    price: int


class LandmarkBuilt(_Event, frozen=True, array_like=True, tag="landmark_built"):
    """The seat built a landmark, and ends its turn with it."""

    seat: int
    card: str
    price: int


class BuildPassed(_Event, frozen=True, array_like=True, tag="build_passed"):
    """The seat built nothing."""

    seat: int


class MarketRefilled(_Event, frozen=True, array_like=True, tag="market_refilled"):
    """Cards were drawn into a row of the market."""

    row: str
    cards: tuple[str, ...]
    """In the order in which they were drawn."""


class ExtraTurnGranted(_Event, frozen=True, array_like=True, tag="extra_turn_granted"):
    """A card gives the seat another turn after this one."""

    seat: int
    card: str


class TurnEnded(_Event, frozen=True, array_like=True, tag="turn_ended"):
    """The turn, or part of a building round, is over."""

    turn: int
    seat: int


class ClockExpired(_Event, frozen=True, array_like=True, tag="clock_expired"):
    """The seat did not answer in time; what follows is what the match's clock provides for."""

    seat: int
    policy: str
    """`default_command`, `strategy` or `forfeit`."""


class ControllerChanged(_Event, frozen=True, array_like=True, tag="controller_changed"):
    """Somebody else plays the seat from now on."""

    seat: int
    kind: str
    id: str
    name: str
    version: str = ""


class SeatResigned(_Event, frozen=True, array_like=True, tag="seat_resigned"):
    """The seat plays no more; its city stays and does nothing."""

    seat: int
    reason: str
    """`command` or `clock`."""


class MatchFinished(_Event, frozen=True, array_like=True, tag="match_finished"):
    """A seat has won."""

    winner: int
    reason: str
    """`landmarks` or `resignation`."""


class MatchAborted(_Event, frozen=True, array_like=True, tag="match_aborted"):
    """The match was called off; nobody has won."""

    reason: str
    """`creator`, `turn_limit`, `dice_tape_exhausted`, `dice_tape_mismatch` or `seat_seed_withheld`."""


class DiceRevealed(_Event, frozen=True, array_like=True, tag="dice_revealed"):
    """The last event of a match with committed dice: the seed to recompute them all."""

    key_id: str
    seed: str
    """The match seed in hex; its SHA-256 is the commitment."""


Event: TypeAlias = (
    MatchCreated
    | SeatTaken
    | SeatReserved
    | ReservationEnded
    | SeatSeedCommitted
    | SeatSeedForgone
    | SeatSeedOpened
    | SeatSeedWithheld
    | MatchStarted
    | BranchStarted
    | TurnStarted
    | DiceRolled
    | ChoiceRequested
    | DiceKept
    | TwoAdded
    | IncomeReceived
    | PaymentMade
    | TargetChosen
    | EstablishmentsSwapped
    | SwapDeclined
    | EstablishmentGiven
    | CoinsLevelled
    | HelpReceived
    | EstablishmentBuilt
    | LandmarkBuilt
    | BuildPassed
    | MarketRefilled
    | ExtraTurnGranted
    | TurnEnded
    | ClockExpired
    | ControllerChanged
    | SeatResigned
    | MatchFinished
    | MatchAborted
    | DiceRevealed
)

REGISTRY: Final[dict[str, type[_Event]]] = {str(cls.__struct_config__.tag): cls for cls in Event.__args__}
"""Every event type by its name in logs and answers. A name may be added, never lost."""

SCHEMA: Final[dict[str, int]] = dict.fromkeys(REGISTRY, 1)
"""The newest schema number of each event type."""


LATER: Final[dict[type, tuple[str, ...]]] = {
    Dice: ("seed_of", "seat_seeds", "round_of"),
    MatchCreated: ("origin",),
}
"""Members that were added after events had been recorded without them: the API shows those as they are."""


def type_name(event: Event) -> str:
    """The event's name in logs and answers, such as `dice_rolled`."""
    return str(event.__struct_config__.tag)

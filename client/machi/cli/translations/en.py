"""English."""

from typing import Final

from machi.cli.translations.translation import Translation

TRANSLATION: Final = Translation(
    help="""\
Type a number, or the beginning of a name, such as `bak` for Bakery.
  ?          this help, and what each card on the menu does
  ? CARD     what a card does, by its name or number
  table      show the cities again
  resign     give up the match
  q          leave; the match is kept, and you can come back""",
    prompt="Your choice{time} [{span}, ?, q]: ",
    time_left=" ({seconds} s left)",
    enter="Enter",
    give_up="Give up the match? [y/N] ",
    yes=("y", "yes"),
    none_of_these="{typed} is not on the menu; ? shows help",
    explains="? shows help",
    no_card="no card is called {typed}",
    card="card",
    colour="colour",
    coins="coins",
    built="built",
    closed="{count} ({closed} closed)",
    price="price",
    left="left",
    landmark="landmark",
    colours={"blue": "blue", "green": "green", "red": "red", "purple": "purple", "orange": "orange"},
    short="{coins} short",
    why_not={
        "major_already_owned": "one per city",
        "copy_limit_reached": "limit reached",
        "loan_office_condition": "only for the last player without one",
    },
    dice="The dice show {dice}. ",
    dice_added="The dice show {dice}; with 2 added, {total}. ",
    purses="Coins: {purses}.",
    roll_one="Roll one die",
    roll_two="Roll two dice",
    roll_again="Roll again",
    keep="Keep {dice}",
    add_two="Make it {total}",
    leave="Leave it at {dice}",
    take_coins="Take coins from {seat}, who has {coins}",
    take_card="Take {card} from {seat}",
    give_for="Give {give} for {take}",
    give_away="Give away {card}",
    demolish="Demolish {card}",
    move="Give {card} to {seat}",
    renovate="Close {card} for renovation",
    invest="Invest a coin",
    invest_nothing="Invest nothing",
    trade_nothing="Do not trade",
    build="Build {card}",
    build_nothing="Build nothing",
    waiting="waiting for {who} ...",
    to_join="players to join with: machi play --join {match}",
    seeds_due="the other players' seeds for the dice",
    without_you="The match continues without you. To watch it, run: machi watch {match}",
    moved_on="The match has moved on in the meantime:",
    refused="{detail}",
    you_left="You have left; the match is kept. {back}",
    interrupted="Interrupted; the match is kept. {back}",
    kept="The match is kept. {back}",
    come_back="To come back, run: machi play {match}",
    title="{ruleset}, match {match}",
    won="{name} has won ({reason}), after {turns} turns and {events} events.",
    nobody_won="Nobody has won: the match is {status} ({reason}).",
    stands="The match is {status}, at turn {turn} and event {event}.",
    reasons={
        "landmarks": "landmarks",
        "resignation": "resignation",
        "creator": "creator",
        "turn_limit": "turn_limit",
        "dice_tape_exhausted": "dice_tape_exhausted",
        "dice_tape_mismatch": "dice_tape_mismatch",
        "seat_seed_withheld": "seat_seed_withheld",
    },
    statuses={"open": "open", "running": "running", "finished": "finished", "aborted": "aborted"},
)

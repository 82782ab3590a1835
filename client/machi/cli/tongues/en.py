"""English."""

from typing import Final

from machi.cli.tongues.tongue import Tongue

TONGUE: Final = Tongue(
    help="""\
A number chooses; so does the beginning of a name, such as `bak` for Bakery.
  ?          this, and what each card on the menu does
  ? CARD     what a card does, by its name or number
  table      the cities once more
  resign     give up the match
  q          leave; the match stays, and you can come back""",
    prompt="Your choice{time} [{span}, ?, q]: ",
    time_left=" ({seconds} s left)",
    enter="Enter",
    give_up="Give up the match? [y/N] ",
    yes=("y", "yes"),
    none_of_these="{typed} is none of these; ? explains",
    explains="? explains",
    no_card="there is no card {typed}",
    card="card",
    colour="colour",
    coins="coins",
    built="built",
    price="price",
    left="left",
    landmark="landmark",
    colours={"blue": "blue", "green": "green", "red": "red", "purple": "purple", "orange": "orange"},
    short="{coins} short",
    why_not={
        "major_already_owned": "one a city",
        "copy_limit_reached": "as many as allowed",
        "loan_office_condition": "only for the last one without",
    },
    dice="The dice show {dice}. ",
    dice_added="The dice show {dice}, and 2 added make {total}. ",
    purses="Coins: {purses}.",
    throw_one="Throw one die",
    throw_two="Throw two dice",
    throw_again="Throw again",
    keep="Keep {dice}",
    add_two="Make it {total}",
    leave="Leave it at {dice}",
    take_coins="Take from {seat}, whose purse holds {coins}",
    take_card="Take {card} from {seat}",
    give_for="Give {give} for {take}",
    give_away="Give away {card}",
    trade_nothing="Trade nothing",
    build="Build {card}",
    build_nothing="Build nothing",
    waiting="waiting for {who} ...",
    to_join="players to join; others can: machi play --join {match}",
    seeds_due="seeds of the other players for the dice",
    without_you="The match goes on without you. Look on with: machi watch {match}",
    moved_on="The match has moved on without you:",
    refused="{detail}",
    you_left="You have left; the match stays. {back}",
    interrupted="Interrupted; the match stays. {back}",
    come_back="Come back with: machi play {match}",
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

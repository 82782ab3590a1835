"""One simulation from one seed."""

import logging
from typing import Final

import structlog
from msgspec import Struct

from tests.simulation.checks import Checks
from tests.simulation.faults import Faults, exchange_keys, heal
from tests.simulation.people import Journal, Person, new_match
from tests.simulation.service import Place
from tests.simulation.world import World

MATCHES: Final = (
    [("acc_ada", ["acc_bob"])],
    [("acc_eve", [])],
    [("acc_eve", [])],
    [("acc_ada", ["acc_bob"]), ("acc_eve", [])],
)
"""Who creates matches, each with whom, beside built-in players."""
KEYS_EXCHANGED: Final = 0.1
"""In so many simulations."""
STORMY_S: Final = 2.2
"""How long things go wrong."""
LONGEST_S: Final = 600.0
"""No simulation lasts longer, in simulated time."""


class Outcome(Struct):
    """What one simulation came to."""

    seed: int
    faults: list[str]
    trace: list[str]
    commands: int
    """Commands of people that were acknowledged."""


def simulate(seed: int) -> Outcome:
    """Let a seed's people play on a service to which a seed's faults happen, and check what is left."""
    world = World(seed)
    place = Place(world, failures=world.rng.choice((0.0, 0.01, 0.05)), partitions=world.rng.choice((1, 1, 2)))
    are_exchanged = world.rng.random() < KEYS_EXCHANGED
    journal = Journal(world)
    people: list[Person] = []
    checks = Checks(place, journal)
    is_checked: list[bool] = []

    def person(name: str, others: list[str]) -> None:
        one = Person(place, journal, name, world.rng.randint(1, 5), world.rng.random() < 0.3)
        people.append(one)
        match_id = one.create(new_match(world, [name, *others]))
        for other in others:
            mate = Person(place, journal, other, world.rng.randint(1, 5), world.rng.random() < 0.3)
            people.append(mate)
            world.spawn(world.outside, lambda mate=mate: mate.play(match_id))
        one.play(match_id)

    def end() -> None:
        world.pause(STORMY_S)
        heal(place)
        while not people or not all(one.is_done for one in people):
            world.pause(0.5)
        checks.run()
        is_checked.append(True)

    with place.entered():
        place.start(webs=2, relays=2, workers=2)
        for name, others in world.rng.choice(MATCHES):
            begins_s = world.rng.uniform(0, 1.5) if are_exchanged else 0.0
            world.spawn(world.outside, lambda name=name, others=others: person(name, others), begins_s)
        world.spawn(world.outside, Faults(place).run)
        if are_exchanged:
            world.spawn(world.outside, lambda: exchange_keys(place), 0.2)
        world.spawn(world.outside, end)
        world.run(LONGEST_S, lambda: bool(is_checked))
        if not is_checked:
            journal.fault(f"it is not over after {LONGEST_S:.0f} s")
        world.end()
    return Outcome(seed, journal.faults, world.trace, len(journal.acknowledged))


def silence() -> None:
    """Nobody reads what the service says in thousands of simulations."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))

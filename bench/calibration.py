"""The yardstick of the machine: a fixed loop of plain Python, never to be changed or made faster."""

import time


def loops_per_second(seconds: float = 1.0) -> float:
    """How often a second the fixed loop of 1,000 steps runs on one core."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        _loop()
        done += 1
    return done / (time.perf_counter() - start)


def _loop() -> int:
    purses = [3, 3, 3, 3]
    cities: dict[str, int] = {"wheat_field": 1, "bakery": 1}
    for i in range(1000):
        seat = i % 4
        purses[seat] += cities["wheat_field"]
        if purses[seat] > 9:
            purses[seat] -= 9
            cities["bakery"] = cities["bakery"] % 7 + 1
    return sum(purses)

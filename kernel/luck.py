"""Chance: the generator sfc32 (Chris Doty-Humphrey), scripted values, and given decks.

All arithmetic stays within 63 bits, so compiled and plain functions give the same numbers. This is for
simulation alone: the dice of real matches come from `domain.match.derivation`.
"""

from __future__ import annotations

from kernel.layout import GENERATOR, SCRIPT_AT, SCRIPTED, Luck

_WORD = 0xFFFFFFFF


def next_word(r: Luck) -> int:
    """The next 32 random bits."""
    a, b, c = r[GENERATOR], r[GENERATOR + 1], r[GENERATOR + 2]
    counter = r[GENERATOR + 3]
    word = (a + b + counter) & _WORD
    r[GENERATOR + 3] = (counter + 1) & _WORD
    r[GENERATOR] = b ^ (b >> 9)
    r[GENERATOR + 1] = (c + (c << 3)) & _WORD
    r[GENERATOR + 2] = ((((c << 21) & _WORD) | (c >> 11)) + word) & _WORD
    return word


def seed_luck(r: Luck, seed: int) -> None:
    """Start the generator of a match; the seed has 62 bits."""
    r[GENERATOR] = 0
    r[GENERATOR + 1] = seed & _WORD
    r[GENERATOR + 2] = (seed >> 32) & _WORD
    r[GENERATOR + 3] = 1
    r[SCRIPTED] = 0
    for _ in range(12):
        next_word(r)


def below(r: Luck, n: int) -> int:
    """A random number from 0 to below `n`, which is small."""
    return (next_word(r) * n) >> 32


def _scripted(r: Luck) -> int:
    r[SCRIPTED] -= 1
    r[SCRIPT_AT] += 1
    return r[r[SCRIPT_AT] - 1]


def die(r: Luck) -> int:
    """One die, 1 to 6: the next scripted value if there is one."""
    if r[SCRIPTED] > 0:
        return _scripted(r)
    return 1 + below(r, 6)


def place(r: Luck, n: int) -> int:
    """A place from 0 to below `n`: the next scripted value if there is one."""
    if r[SCRIPTED] > 0:
        return _scripted(r)
    return below(r, n)

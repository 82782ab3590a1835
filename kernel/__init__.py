"""The kernel: a simulator of the rules on arrays of integers, for search, training, luck, reviews and
the choices of built-in players.

It plays many thousand matches per second where numba is installed (`kernel.engine`), and the same matches
slowly where it is not. It writes no events: `domain` applies the rules in real matches, and
`kernel.compare` checks both against each other.
"""

"""The kernel: a simulator of the rules on arrays of integers, for search, training, luck and reviews.

It plays many thousand matches per second where numba is installed (`kernel.engine`), and the same matches
slowly where it is not. It writes no events: `domain` decides real matches, and `kernel.compare` checks both
against each other.
"""

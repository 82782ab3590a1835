"""Tournaments: seasons with a fixed number of rounds and an end; docs/tournaments.md has the rules in words.

A round of a tournament is a rated round of the ladder. Everything here is a function of the ladder's state.
"""

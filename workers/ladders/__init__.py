"""Rounds of ladders on the workers; docs/architecture.md describes the path of a block in ten steps.

The relay enqueues jobs (`dispatch`); `rounds` plays blocks, and `standings` computes the tables. Open blocks
and match ids follow from the ladder's history, so a lost job is simply done again.
"""

"""Rounds of ladders on the workers; docs/architecture.md describes the path of a block in ten steps.

The relay enqueues jobs (`dispatch`); `round_job` plays blocks, and `table_job` computes tables. Open blocks
and match ids follow from the ladder's history, so a lost job is simply done again.
"""

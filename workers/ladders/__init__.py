"""The rounds of ladders on the workers; docs/architecture.md tells the way of a block in ten steps.

`dispatch` (of the relay) hands jobs out: `rounds` plays, `standings` computes the tables. Whatever gets lost
on the way is found again, for what is to be done and the ids of the matches follow from the ladder's history.
"""

"""Playing the rounds of ladders on the workers.

A job (`workers.ladders.jobs.work`) plays for about a second: whole matches in memory, each appended at once,
then what became of their blocks. Whatever gets lost on the way is found again, for the ids of the matches
follow from the ladder's history.
"""

"""The audit of a match: everything that follows from its events, recomputed with the rules."""

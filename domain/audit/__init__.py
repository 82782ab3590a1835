"""Auditing a match: all that can be recomputed from its events, recomputed with the rules themselves."""

"""Matches as event streams: their commands, history, projections and seeds."""

"""Matches: seats, commands, events, history, logs and luck."""

"""Rulesets, cards and built-in players."""

"""Ladders as event streams, and their computed tables."""

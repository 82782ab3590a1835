"""Ladders as event streams, and the tables that were computed of them."""

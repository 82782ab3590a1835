"""Matches: creating, playing, following and looking back at them."""

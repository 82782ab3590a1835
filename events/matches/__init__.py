"""Matches as event streams: what their commands do, and what is indexed beside them."""

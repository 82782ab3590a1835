"""Checking matches and the log of their ends: what `machi verify` and `machi audit` share.

No other part of the client needs `cryptography`.
"""

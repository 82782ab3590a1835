"""Checking matches and the log of their ends: what `machi verify` and `machi audit` share.

Needs the rules (`domain`) and `cryptography`, as no other part of the client does.
"""

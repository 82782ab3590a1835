"""Ladders: `events` and `state` are the facts, `decide` and `pairing` the rules, `results` what is published.

`ratings` (from `likelihood` and `arithmetic`), `standings` and `sprt` are computed of the results alone.
"""

"""Ladders: facts (`events`, `state`), rules (`decide`, `pairing`) and published results (`results`).

`ratings` (with `likelihood` and `arithmetic`), `standings` and `sprt` are functions of the results alone.
"""

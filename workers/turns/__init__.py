"""Turns of built-in players: the relay dispatches them, jobs play them, and the sweep retries lost ones."""

"""Ladders: entries, rounds, jobs, tables and exports."""

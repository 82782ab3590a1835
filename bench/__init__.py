"""Benchmarks: each figure has a goal, and a baseline that was measured in the same run."""

__all__: list[str] = []

"""Benchmarks: each figure beside its goal and beside a baseline measured in the same run."""

__all__: list[str] = []

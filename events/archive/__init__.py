"""Finished matches in files, out of Redis."""

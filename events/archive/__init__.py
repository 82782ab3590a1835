"""The archive: finished matches that were moved from Redis to files."""

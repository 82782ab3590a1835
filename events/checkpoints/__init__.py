"""The log of signed checkpoints of matches that ended, and the audit of stored matches."""

"""The log of signed checkpoints of finished matches, and the audit of stored matches."""

"""Audits: verifications, exports, fairness, checkpoints and signing keys."""

"""What auditors ask for: verification, fairness, checkpoints and signing keys."""

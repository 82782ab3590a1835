"""What happens around every request: reading it, who asks, limits, idempotency, answers and problems."""

"""What happens behind the API: jobs that play the built-in seats, and the relay that hands them out."""

__all__: list[str] = []

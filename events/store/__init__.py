"""The event store: streams of events on Redis, appended by one script, and their twin in memory."""

"""Event streams, long polls, and the web worker with its connections."""

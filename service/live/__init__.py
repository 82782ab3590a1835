"""Streams, long polls, and the web worker that holds the connections."""

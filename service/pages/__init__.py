"""The HTML pages of the service and their files."""

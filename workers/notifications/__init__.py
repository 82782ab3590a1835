"""Notifications: from the log into the inboxes of accounts, and from there to their webhooks."""

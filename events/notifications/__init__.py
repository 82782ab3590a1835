"""Notifications of accounts: their inboxes, their webhooks, and what is to be delivered to these."""

"""Accounts, tokens, and who may seat an account."""

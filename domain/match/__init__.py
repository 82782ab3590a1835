"""Matches: cards, rulesets, commands, events, and the rules that connect them."""

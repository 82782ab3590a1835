"""The catalogues of cards, one module per box; `domain.match.decide.effects` implements the effects."""

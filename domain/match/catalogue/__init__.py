"""Cards as data, one module per box. Numbers only: `domain.match.decide.effects` says what an effect does."""

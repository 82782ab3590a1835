"""Cards as data, one module per box. Numbers only: what an effect does stands in `domain.decide.effects`."""

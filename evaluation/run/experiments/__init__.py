"""The ready-made experiments, one a file."""

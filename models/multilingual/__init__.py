"""multilingual-e5-small out of the four-bit file of another package, read as data."""

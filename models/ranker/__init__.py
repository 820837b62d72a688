"""The trained ranker: a cross-encoder, what it reads, and what its scores mean."""

"""Keyword and vector index of one folder of files."""

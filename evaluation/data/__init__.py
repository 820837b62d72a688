"""Evaluation data: rows, data sets, knowledge bases over them, and the indexes they need."""

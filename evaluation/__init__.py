"""Evaluation: what a knowledge base finds and answers, measured on data with known answers."""

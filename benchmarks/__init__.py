"""Benchmarks: one question a file, run as a module; `RESULTS.md` keeps the answers."""

"""The eight steps, one a file: what happens to the state. No framework, no I/O of their own."""

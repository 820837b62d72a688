"""Commands that fit what is shipped in `models/fitted`."""

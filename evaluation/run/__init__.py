"""Asking the questions: experiments, the runner, and what it keeps."""

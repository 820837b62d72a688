"""Exit codes of the command."""

OK = 0
ERROR = 1
"""Configuration, input or index are wrong; one line on stderr says what and what to do."""
USAGE = 2
"""The command line itself is wrong."""
INCOMPLETE = 3
"""The run is partial or failed: what was printed says which part is missing."""
INTERRUPTED = 130

EPILOG = """\b
Exit codes:
  0    done
  1    an error: configuration, input or index; stderr has one line on it
  2    the command line is wrong
  3    the run was partial or failed: the output says what is missing
  130  interrupted
"""

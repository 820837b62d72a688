"""The `headwater` command. Nothing heavy is imported before a command runs."""

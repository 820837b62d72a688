"""Values, state, errors and ports: standard library and pydantic only."""

"""What is measured of a run: pure functions of rows; `None` is unscored, which is not zero."""

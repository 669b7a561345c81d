"""Parameters: their kinds, names as people type them, validation of values, and formulas."""

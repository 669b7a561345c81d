"""Tables and cards."""

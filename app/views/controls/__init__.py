"""Controls: the widgets with which a person chooses."""

"""The state of a page: the choice, its results, and their descriptions. It does not depend on Panel."""

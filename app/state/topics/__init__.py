"""State of the pages besides the lab: engines, methods, papers and studies."""

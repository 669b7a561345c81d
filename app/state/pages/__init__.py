"""State of the pages besides the lab, and the lists of problems, methods and equations that pages share."""

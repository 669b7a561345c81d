"""The languages of programs: a table each."""

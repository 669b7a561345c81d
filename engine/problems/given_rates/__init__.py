"""Attitudes with given rates, as a gyroscope measures them."""

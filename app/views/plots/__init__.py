"""Plots of runs over time, and charts of studies."""

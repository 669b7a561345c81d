"""The command `polhode`. No other package imports from here."""

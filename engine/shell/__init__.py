"""The command `polhode`, and what only it needs: nothing else imports from here."""

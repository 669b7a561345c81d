"""The loops that advance bodies, what they are made of, and what runs them."""

"""What a page is about: what is chosen, what follows from it, and what is said of it. Nothing here knows Panel."""

"""Text for people: numbers and lists, sentences with their evidence, the glossary."""

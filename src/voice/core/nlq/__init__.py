"""Parse a question: window, terms, phrases, people, order."""

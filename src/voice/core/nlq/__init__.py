"""From a question to what it asks for: window, terms, phrases, people, order."""

"""What the entry points share: results as JSON and in words, advice on errors, reading of dates and settings."""

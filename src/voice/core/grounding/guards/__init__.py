"""What a sentence says that nothing it cites gives: numbers, dates, names and identifiers."""

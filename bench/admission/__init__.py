"""What each rule of the judge is worth by itself."""

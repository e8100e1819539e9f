"""What every adapter that keeps a person's data on disk agrees on: private modes, atomic files, JSON of the values."""

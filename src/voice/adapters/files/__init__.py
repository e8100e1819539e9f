"""Files people bring and take away."""

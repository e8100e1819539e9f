"""Reports over past turns: what they cost, what they used, how well they were grounded."""

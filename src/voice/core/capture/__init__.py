"""What agents' sessions leave behind: which of it comes in, and what of it may be cited."""

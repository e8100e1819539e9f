"""What of a memory cannot both be true."""

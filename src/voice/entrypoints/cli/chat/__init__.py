"""`voice chat`: a conversation at the terminal."""

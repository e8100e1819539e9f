"""What goes when something is marked, archived or forgotten, and what goes with it."""

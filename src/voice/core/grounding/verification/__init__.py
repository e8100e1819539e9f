"""What is asked of a verifier, what its words prove, and when it is believed."""

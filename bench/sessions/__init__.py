"""What a conversation costs as it grows, beside two others."""

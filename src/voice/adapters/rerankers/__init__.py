"""What scores passages against a question: the one this program knows, and those that other packages bring."""

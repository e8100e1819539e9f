"""Small models that run on this machine: word pieces in, numbers out; what the sentence encoder runs on."""

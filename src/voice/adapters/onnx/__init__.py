"""Small models that run on this machine: word pieces in, numbers out; shared by the encoder and the cross-encoder."""

"""Parts of `voice.bootstrap`, one file each: adapters put behind one service's ports."""

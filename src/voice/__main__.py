"""`python -m voice` is the command `voice`."""

from voice.entrypoints.cli.main import main

if __name__ == "__main__":
    main()

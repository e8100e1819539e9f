"""The command `voice`, which is `python -m voice` too: Ctrl-C ends it in one line also while it is being loaded."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Load and run the command line, and leave with its exit code."""
    try:
        from voice.entrypoints.cli.main import main as run  # noqa: PLC0415 - loading takes most of a short command

        run()
    except BaseException as error:
        if not isinstance(error.__cause__ or error, KeyboardInterrupt):  # a class that is being made wraps it
            raise
        sys.stderr.write("voice: stopped\n")
        sys.exit(130)
    finally:
        # A Ctrl-C inside of executed text makes the interpreter leave by the signal; other text lets it forget that.
        exec("")  # noqa: S102 - an empty text of our own


if __name__ == "__main__":
    main()

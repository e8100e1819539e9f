"""The command `voice`, which is `python -m voice` too: Ctrl-C ends it in one line also while it is being loaded."""

import gc
import sys
from typing import Final, NoReturn

_COLLECTED: Final = (300_000, 20, 20)
"""When the interpreter looks for cycles: after more than one question makes; its own numbers cost a tenth of one."""


def main() -> NoReturn:
    """Load and run the command line, and leave with its exit code."""
    gc.set_threshold(*_COLLECTED)
    try:
        from voice.entrypoints.cli.main import main as run  # noqa: PLC0415 - loading takes most of a short command

        run()
    except BaseException as error:
        if not isinstance(error.__cause__ or error, KeyboardInterrupt):  # a class that is being made wraps it
            raise
        sys.stderr.write("voice: stopped\n")
        sys.exit(130)
    finally:
        gc.freeze()  # else the interpreter looks through all that was made when it leaves: a fifth of a command
        # A Ctrl-C inside of executed text makes the interpreter leave by the signal; other text lets it forget that.
        exec("")  # noqa: S102 - an empty text of our own


if __name__ == "__main__":
    main()

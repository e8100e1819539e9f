"""What the protocol's library says to itself, and to nobody else.

Law: its log holds what it makes of messages, words of a memory among them, so none of it is written (rulings D19, D22).

Source: rulings D19, D22; docs/observability.md.
"""

import logging


def silence() -> None:
    """Let the library's log reach no handler of this process."""
    log = logging.getLogger("mcp")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    log.propagate = False

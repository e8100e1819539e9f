"""The card of this process.

Source: DESIGN 8; docs/holder.md.
"""

import os
import sys
from datetime import UTC, datetime
from importlib import import_module
from importlib.resources import files
from pathlib import Path

from voice.adapters.surreal.holder import named_command
from voice.core.store_holder import PROTOCOL, ProcessCard


def own_card(namespace: str, database: str) -> ProcessCard:
    """Return who this process is, for a store that it uses under these names."""
    # The package's front door is asked at run time: an import of it would draw the whole program in here.
    return ProcessCard(
        protocol=PROTOCOL,
        version=str(import_module("voice").__version__),
        format=_format(),
        namespace=namespace,
        database=database,
        pid=os.getpid(),
        since=datetime.now(UTC),
        command=named_command([sys.executable, *sys.orig_argv[1:]]) or "a Python program",
    )


def _format() -> int:
    """Return the number of the last schema step that this program ships."""
    steps = (Path(each.name).name for each in (files("voice.adapters.surreal") / "migrations").iterdir())
    return max(int(name[:3]) for name in steps if name.endswith(".surql"))

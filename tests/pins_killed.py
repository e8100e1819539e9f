"""The process that is killed: it pins and writes to a capsule for ever, and says what the store has acknowledged.

pin 7        the pin of target t:7 was acknowledged
capsule 3    revision 3 of the capsule was acknowledged
"""

import asyncio
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

from recall_values import capsule, pin, summary
from voice.adapters.surreal.opening import open_store


async def write_for_ever(home: Path) -> None:
    """Write until somebody ends this process."""
    stores = await open_store(home / "memory", home=home)
    known = await stores.capsules.capsule("c:1")
    first = len(await stores.pins.pins())
    for place in count(first):
        await stores.pins.save_pin(pin(f"{place:06}", f"t:{place}"))
        print("pin", place, flush=True)  # noqa: T201 - what the test reads
        at = known.revision if known else 0
        changed = replace(known or capsule(), summary=summary(content=f"Revision {at + 1}."), revision=at + 1)
        known = await stores.capsules.save_capsule(changed, expected=at)
        print("capsule", known.revision, flush=True)  # noqa: T201 - what the test reads


if __name__ == "__main__":
    asyncio.run(write_for_ever(Path(sys.argv[1])))

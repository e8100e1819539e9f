"""A grounded inner voice over a person's memory.

    async with Voice.open(settings) as voice:
        turn = await voice.ask("Where did I leave the kiln?")

`Voice` is imported when it is first asked for, so that `import voice` costs nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voice.entrypoints.library import Voice

__all__ = ["Voice", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "Voice":
        from voice.entrypoints.library import Voice  # noqa: PLC0415  (lazy on purpose)

        return Voice
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Pins and capsules of an open memory."""

from voice.bootstrap import Services
from voice.core.recall.pins import PinRequest
from voice.core.recall.values import Pin
from voice.core.records import Origin
from voice.services.memory.ingest_values import NewThought


async def pin(services: Services, target: str, reason: str = "it matters", **members: object) -> Pin:
    request = PinRequest(target_id=target, reason=reason, **members)  # pyright: ignore[reportArgumentType]
    return await services.pins.pin(request)


async def put(services: Services, capsule: str, *texts: str, **members: object) -> list[str]:
    """Remember each text as a thought of the capsule and return the thoughts' ids."""
    made = [NewThought(content=text, **{"origin": Origin.HUMAN, **members}) for text in texts]  # pyright: ignore[reportArgumentType]
    placed = [await services.capsules.placed(each, capsule) for each in made]
    return list((await services.ingest.remember(placed)).stored)

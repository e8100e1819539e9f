"""Rows that exams are made of: a chat of three, a few notes, and what their graph calls things."""

from dataclasses import replace
from datetime import UTC, datetime

from voice.core.exam.questions import ExamMaker, ExamMemory
from voice.core.records import EntityName, Observation, Origin, Provenance, TrustTier
from voice.core.text.instants import UNDATED

AT = datetime(2024, 5, 7, 9, tzinfo=UTC)
KEY = bytes(range(32))


def row(key: str, text: str, **members: object) -> Observation:
    """Return a statement of the person's own."""
    base = Observation(
        id=f"o:{key}", created_at=AT, recorded_at=AT, origin=Origin.HUMAN, trust=TrustTier.GREEN, text=text
    )
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def said(key: str, speaker: str, text: str, **members: object) -> Observation:
    """Return what somebody said in a chat."""
    return row(key, text, **{"speaker": speaker, "thread": "chat", "provenance": of_note(f"c{key}"), **members})


def of_note(note: str) -> tuple[Provenance, ...]:
    """Return where a row of that note stands."""
    return (Provenance(thought_id=f"t:{note}", start=0, end=1),)


CHAT = (
    said("c1", "Ana", "The violin needs a luthier before the concert."),
    said("c2", "Bruno", "My velocipede lost its saddle on the viaduct.", created_at=datetime(2024, 5, 8, tzinfo=UTC)),
    said("c3", "Carla", "We repainted the lighthouse with turquoise enamel.", created_at=UNDATED),
    said("c4", "Ana", "Is the harpsichord really an antique?"),
)
PEOPLE = (
    EntityName(id="e:ida", name="Ida Berg", entity_type="person"),
    EntityName(id="e:noor", name="Noor", entity_type="person"),
    EntityName(id="e:kiln", name="Kiln Ovidius", entity_type="tool"),
)
NOTES = (
    row("n1", "Ida Berg glazed the porcelain jug.", entity_ids=("e:ida", "e:gone"), provenance=of_note("a")),
    row("n2", "Noor rewired the greenhouse thermostat.", entity_ids=("e:noor",), provenance=of_note("b")),
    row("n3", "Wattage: 1,200", context_path=("Kiln Ovidius", "Data"), provenance=of_note("c")),
    row("n4", "Die Töpferscheibe steht neben dem Brennofen.", provenance=of_note("d")),
    row("n5", "Shelving.", provenance=of_note("e")),
)


def memory_of(*rows: Observation) -> ExamMemory:
    """Return a memory of these rows."""
    return ExamMemory.of(rows, PEOPLE, timezone="Europe/Lisbon")


def maker_of(*rows: Observation, seed: int = 0) -> ExamMaker:
    """Return what makes questions of these rows; a question names a time where it holds a number."""
    return ExamMaker(
        memory=memory_of(*rows),
        seed=seed,
        key=KEY,
        language="en",
        asks_for_time=lambda text: any(char.isdigit() for char in text),
    )

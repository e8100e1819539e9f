"""What became of the notes of a folder, decided from values."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tables import tables
from voice.core.interchange.import_plan import FolderPlan, FollowedFolder, Move, Stamp, SyncedNote, is_below, plan_sync

pytestmark = pytest.mark.requirement("ruling:I4")


def stamp(said: str) -> Stamp:
    """Return the stamp of a content, and of the id that the note bears."""
    digest, _, note_id = said.partition(" ")
    return Stamp(digest=digest, note_id=note_id or None)


def stamps(said: Mapping[str, str]) -> dict[str, Stamp]:
    return {place: stamp(each) for place, each in said.items()}


def known(notes: Mapping[str, str]) -> FollowedFolder:
    return FollowedFolder(notes={place: SyncedNote(stamp=each) for place, each in stamps(notes).items()})


BECAME = tables(__file__)["what_became_of_each_note"]


@pytest.mark.parametrize("case", BECAME)
def test_what_became_of_each_note(case: str) -> None:
    """Contents by place, of then and of now; each that moved or is back with the place that it had."""
    held, found, became = BECAME[case]
    moved = {
        name: tuple(Move(before=one, place=two) for one, two in became.get(name, ())) for name in ("moved", "back")
    }
    others = {name: tuple(places) for name, places in became.items() if name not in moved}
    before = FollowedFolder(gone=known(held).notes) if "back" in became or case.startswith("gone") else known(held)
    assert plan_sync(before, stamps(found)) == FolderPlan(**moved, **others)  # pyright: ignore[reportArgumentType]


def test_two_notes_that_changed_places_are_both_read() -> None:
    assert plan_sync(known({"a": "1", "b": "2"}), stamps({"a": "2", "b": "1"})).read == {"a", "b"}


def test_a_part_of_a_folder_says_nothing_of_the_rest() -> None:
    before = known({"a.md": "1", "sub/b.md": "2"})
    assert plan_sync(before, {}, "sub/") == FolderPlan(gone=("sub/b.md",))
    assert before.missing({}, "sub/") == ["sub/b.md"]


def test_a_folder_takes_over_the_notes_of_those_in_it_that_are_as_open_as_it_is() -> None:
    note = SyncedNote(stamp=stamp("1"), ids=("t:1",))
    inner = FollowedFolder(notes={"b.md": note, "c.md": note}, gone={"d.md": note}, reading=3)
    hidden, tagged = replace(inner, is_private=True), replace(inner, tags=("x",))
    taken = FollowedFolder().taking({"/n/s": inner, "/n/p": hidden, "/n/t": tagged})
    assert taken == {"/n/s": inner}
    whole = FollowedFolder(notes={"s/b.md": replace(note, ids=("t:2",))}, reading=4).with_inner("/n", taken)
    assert (whole.notes["s/b.md"].ids, whole.notes["s/c.md"], whole.gone) == (("t:2", "t:1"), note, {"s/d.md": note})
    assert (whole.reading, known({"a": "1"}).with_inner("/n", {}).reading) == (3, 0)
    assert [is_below("/n", each) for each in ("/n/s", "/n", "/nn", "/n/.s/t")] == [True, False, False, False]

"""What became of the notes of a folder, decided from values."""

from dataclasses import replace

import pytest

from voice.core.interchange.import_plan import FolderPlan, FollowedFolder, Move, Stamp, SyncedNote, is_below, plan_sync

pytestmark = pytest.mark.requirement("ruling:I4")


def stamp(digest: str, note_id: str | None = None) -> Stamp:
    return Stamp(digest=digest, note_id=note_id)


def known(**notes: Stamp) -> FollowedFolder:
    return FollowedFolder(notes={place: SyncedNote(stamp=each) for place, each in notes.items()})


def left(**notes: Stamp) -> FollowedFolder:
    return FollowedFolder(gone=known(**notes).notes)


def test_a_note_that_was_not_there_is_new_and_one_that_is_not_there_any_more_is_gone() -> None:
    plan = plan_sync(known(a=stamp("1"), b=stamp("2")), {"a": stamp("1"), "c": stamp("3")})
    assert plan == FolderPlan(new=("c",), gone=("b",), unchanged=("a",))


def test_other_content_at_the_same_place_is_a_change() -> None:
    assert plan_sync(known(a=stamp("1")), {"a": stamp("2")}) == FolderPlan(changed=("a",))


def test_the_same_content_at_another_place_is_the_same_note() -> None:
    assert plan_sync(known(a=stamp("1")), {"b": stamp("1")}) == FolderPlan(moved=(Move(before="a", place="b"),))


def test_the_same_id_at_another_place_is_the_same_note_whatever_it_says() -> None:
    plan = plan_sync(known(a=stamp("1", "x")), {"b": stamp("2", "x")})
    assert plan == FolderPlan(moved=(Move(before="a", place="b"),))


def test_an_id_that_a_copy_bears_too_stays_with_the_place_that_had_it() -> None:
    plan = plan_sync(known(b=stamp("1", "x")), {"a": stamp("2", "x"), "b": stamp("3", "x")})
    assert plan == FolderPlan(new=("a",), changed=("b",))


def test_a_copy_beside_its_original_is_new() -> None:
    assert plan_sync(known(a=stamp("1")), {"a": stamp("1"), "b": stamp("1")}) == FolderPlan(
        new=("b",), unchanged=("a",)
    )


def test_two_notes_that_changed_places_moved_both() -> None:
    plan = plan_sync(known(a=stamp("1"), b=stamp("2")), {"a": stamp("2"), "b": stamp("1")})
    assert plan.moved == (Move(before="b", place="a"), Move(before="a", place="b"))
    assert plan.read == {"a", "b"}


def test_of_several_with_the_same_content_the_one_of_the_same_name_moved() -> None:
    before = known(**{"a.md": stamp("1"), "x/b.md": stamp("1")})
    plan = plan_sync(before, {"y/b.md": stamp("1"), "c.md": stamp("1")})
    assert plan.moved == (Move(before="a.md", place="c.md"), Move(before="x/b.md", place="y/b.md"))


def test_a_note_that_had_left_is_back_at_whatever_place() -> None:
    before = left(a=stamp("1"), b=stamp("2"), c=stamp("3"))
    plan = plan_sync(before, {"a": stamp("1"), "d": stamp("2")})
    assert plan == FolderPlan(back=(Move(before="a", place="a"), Move(before="b", place="d")))


def test_what_left_before_is_not_told_as_gone_again() -> None:
    assert plan_sync(left(a=stamp("1")), {}) == FolderPlan()


def test_a_part_of_a_folder_says_nothing_of_the_rest() -> None:
    before = known(**{"a.md": stamp("1"), "sub/b.md": stamp("2")})
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
    assert (whole.reading, known(a=stamp("1")).with_inner("/n", {}).reading) == (3, 0)
    assert [is_below("/n", each) for each in ("/n/s", "/n", "/nn", "/n/.s/t")] == [True, False, False, False]


def test_what_could_not_be_read_equals_nothing() -> None:
    assert plan_sync(known(a=stamp(""), b=stamp("")), {"a": stamp("")}) == FolderPlan(changed=("a",), gone=("b",))

"""What forgetting takes out of an archive."""

from dataclasses import replace

import pytest

from store_values import NOON, entity, observation, span_of, thought, vector
from voice.core.records import RowStatus
from voice.core.session.forgetting import ForgottenContent
from voice.core.text.leakage import LeakMarkers
from voice.ports.removal import Archive
from voice.services.removal.derived_stores import archive_without

pytestmark = pytest.mark.requirement("ruling:G.2e", "forget:reach")
FORGET = ForgottenContent(ids=frozenset({"t:1", "o:1"}), giveaway=LeakMarkers(), keeps_hashes=False)
REDACT = replace(FORGET, keeps_hashes=True)
BOTH = span_of("t:1") + span_of("t:2")


def archive() -> Archive:
    return Archive(
        store_id="store",
        made_at=NOON,
        thoughts=(thought("1", "It is here."), thought("2", "It is there.")),
        derived=(observation("1", "Here.", provenance=span_of("t:1")), entity("1", "it", provenance=BOTH, revision=3)),
        vectors=tuple(vector(row_id) for row_id in ("t:1", "t:2", "o:1")),
    )


def test_what_goes_is_left_out_and_what_rests_on_something_else_too_stays() -> None:
    left = archive_without(archive(), FORGET)
    assert ([row.id for row in left.thoughts], [each.row_id for each in left.vectors]) == (["t:2"], ["t:2"])
    assert left.derived == (entity("1", "it", provenance=span_of("t:2"), revision=3),)
    assert archive_without(left, FORGET) == left


def test_an_archive_that_was_made_of_rows_without_words_stays_as_it_is() -> None:
    bare = thought("1", "", status=RowStatus.REDACTED)
    made = replace(archive(), thoughts=(bare,), derived=(), vectors=())
    assert archive_without(made, REDACT) == made
    assert archive_without(made, FORGET).thoughts == ()
    kept = archive_without(archive(), REDACT)
    assert kept.derived == (entity("1", "it", provenance=BOTH, revision=3),)

"""The laws of the normal form, searched by machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.text.normalise import clean_text, content_hash, norm_v1

# Accents, joiners, controls and letters that fold oddly lie next to one another far more often than by chance.
_TRICKY = st.text(
    st.sampled_from("aeẞßİıſéͅ\u0301\u0345\u0300\u200d\u200b\u00ad\x00\x07\x1c\x85 \n\tΣςﬁ①Å한ᄒ\u1161\u11ab")
)
_ANY_TEXT = _TRICKY | st.text(st.characters(exclude_categories=()))


@pytest.mark.requirement("ruling:A10")
@given(_ANY_TEXT)
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    once = norm_v1(text)
    assert norm_v1(once) == once


@pytest.mark.requirement("ruling:A10")
@given(st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1)), st.sampled_from(" \n\t\u00a0\u2003"))
def test_kind_and_amount_of_whitespace_do_not_matter(words: list[str], space: str) -> None:
    assert content_hash((space * 3).join(words)) == content_hash(" ".join(words))


@given(_ANY_TEXT)
def test_every_string_has_a_hash(text: str) -> None:
    assert len(content_hash(text)) == 64


@given(_ANY_TEXT)
def test_clean_text_can_be_encoded_and_cleaning_it_again_changes_nothing(text: str) -> None:
    clean = clean_text(text)
    clean.encode("utf-8")
    assert clean_text(clean) == clean
    assert "\x00" not in clean

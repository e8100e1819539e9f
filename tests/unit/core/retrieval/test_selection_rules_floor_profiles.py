"""Floors belong to the encoder whose angles they cut (ruling C4)."""

import pytest

from voice.bootstrap import make_embedder
from voice.core.retrieval.selection_rules import SPEC_FLOORS, FloorProfile, floors_of
from voice.core.settings.parse import parse_settings
from voice.core.settings.values import EmbedSettings

HASH = {"SURR_EMBED_PROVIDER": "hash"}


@pytest.mark.requirement("ruling:C4", "ruling:C3")
def test_the_specs_floors_are_the_default_encoders_and_those_of_any_that_was_not_calibrated() -> None:
    assert (SPEC_FLOORS.floor, SPEC_FLOORS.min_floor) == (0.25, 0.15)
    assert floors_of(EmbedSettings().encoder) == floors_of("somebody/else") == SPEC_FLOORS


@pytest.mark.requirement("ruling:C4")
@pytest.mark.parametrize("provider", ["local", "hash"])
def test_a_profile_is_found_under_the_name_that_the_encoders_vectors_bear(provider: str) -> None:
    settings = EmbedSettings(provider=provider)
    assert settings.encoder == make_embedder(settings).model


@pytest.mark.requirement("ruling:C4")
def test_a_remote_encoder_is_named_with_its_vendor() -> None:
    settings = EmbedSettings(provider="openai", model="text-embedding-3-small", dim=1536)
    assert settings.encoder == make_embedder(settings).model


@pytest.mark.requirement("ruling:C4")
def test_retrieval_takes_the_floors_of_the_encoder_that_is_set() -> None:
    found = parse_settings({}, HASH, {}).settings.retrieve
    assert FloorProfile(floor=found.floor, min_floor=found.min_floor) == floors_of("hashed-ngrams-v1") != SPEC_FLOORS


@pytest.mark.requirement("ruling:C4")
def test_what_the_person_sets_wins_over_the_encoders_profile() -> None:
    said = {"SURR_INNER_VOICE_FLOOR": "0.25", "SURR_INNER_VOICE_MIN_FLOOR": "0.15"}
    found = parse_settings({}, {**HASH, **said}, {}).settings.retrieve
    assert (found.floor, found.min_floor) == (0.25, 0.15)

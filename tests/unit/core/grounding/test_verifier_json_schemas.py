"""What is published of a verifier's request and reply is what is sent and asked for."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import cast

import jsonschema
import pytest

from voice.adapters.files.packaged_data import calibration_claims
from voice.core.grounding.verifier_calibration import trials
from voice.core.grounding.verifier_json import REQUEST_SCHEMA, VERDICT_SCHEMA, request_json
from voice.testing.verifiers import ASKED, verdicts_verbatim

_ABOUT = ("$schema", "$id", "title", "description")


def published(name: str) -> dict[str, object]:
    text = (files("voice") / "schemas" / f"verify.{name}.schema.json").read_text("utf-8")
    return cast("dict[str, object]", json.loads(text))


@pytest.mark.parametrize(("name", "schema"), [("request", REQUEST_SCHEMA), ("reply", VERDICT_SCHEMA)])
def test_the_published_schema_is_the_one_in_use(name: str, schema: Mapping[str, object]) -> None:
    document = published(name)
    jsonschema.Draft202012Validator.check_schema(document)
    assert {key: value for key, value in document.items() if key not in _ABOUT} == json.loads(json.dumps(schema))


@pytest.mark.requirement("grounding:verifier:request")
def test_what_is_asked_of_a_draft_and_in_a_trial_obeys_it() -> None:
    for asked in (ASKED, *(trial.asked for trial in trials(calibration_claims()[:24]))):
        jsonschema.validate(json.loads(json.dumps(request_json(asked))), published("request"))


@pytest.mark.requirement("grounding:verifier:reply")
def test_what_a_verifier_replies_obeys_it() -> None:
    asked = json.loads(json.dumps(request_json(ASKED)))
    jsonschema.validate(json.loads(verdicts_verbatim(asked)), published("reply"))

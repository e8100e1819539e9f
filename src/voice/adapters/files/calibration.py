"""The packaged claims that verifiers are tried on."""

from functools import cache
from importlib.resources import files

from voice.core.grounding.verifier_calibration import LabelledClaim, labelled_claims


@cache
def calibration_claims() -> tuple[LabelledClaim, ...]:
    """Return the claims of `voice/data/verifier/calibration.jsonl`, read once."""
    place = files("voice") / "data" / "verifier" / "calibration.jsonl"
    return labelled_claims(place.read_text("utf-8"))

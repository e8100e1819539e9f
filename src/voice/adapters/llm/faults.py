"""What went wrong at a provider, in this program's own words.

Law: a vendor's exception may hold the prompt, the reply or the key, in its message, its cause, its context or its
request object; so it is read for its facts (status, wait) and dropped, and a new error is raised outside of the
handler. No word of the vendor's message is passed on (promise 6; rulings D24, D25).
"""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import isfinite

from voice.core.errors import ProviderError, ProviderRejected, ProviderUnavailable
from voice.core.grounding.answerability.compose import draft_json
from voice.core.grounding.values import Draft

VENDOR_FAULTS = (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, EOFError)
"""Besides their own trees, vendors let these through when a reply is not what their schema promised."""
GRACE_S = 5.0
"""What a vendor's library is given beyond the time there is, so that the clients' own clock is the one that rings."""
DECLINED = draft_json(Draft(refused=True, notes="the provider declined to write about this"))
"""The reply that stands for a provider's content filter: a refusal in the wire schema, not an error (ruling D6)."""

_REJECTED = {
    400: "does not accept the request; the model may not exist, or not take these settings or so long a prompt",
    401: "does not accept the key; check that it is the provider's own and still valid",
    402: "asks for payment; check the account's balance",
    403: "does not allow this key to use the model",
    404: "does not know the model; check SURR_INNER_VOICE_MODEL and SURR_INNER_VOICE_API_BASE",
    413: "says the prompt is too long; lower SURR_INNER_VOICE_MAX_TOKENS",
}


def fault_of_status(status: int, provider: str, *, retry_after_s: float | None = None) -> ProviderError:
    """Return the error for an HTTP status: worth another try (408, 409, 425, 429, 5xx) or not."""
    if status in (408, 409, 425, 429) or status >= 500:
        said = "limits the rate of requests" if status == 429 else f"could not answer (status {status})"
        return ProviderUnavailable(f"{provider} {said}; try again in a while", retry_after_s=retry_after_s)
    reason = _REJECTED.get(status, f"answered with status {status}")
    return ProviderRejected(f"{provider} {reason}")


def unreachable(provider: str) -> ProviderUnavailable:
    """Return the error for a connection that could not be made or was cut."""
    return ProviderUnavailable(f"the connection to {provider} could not be made or was cut; try again in a while")


def unreadable(provider: str) -> ProviderUnavailable:
    """Return the error for a reply that does not follow the provider's own protocol."""
    return ProviderUnavailable(f"{provider} sent a reply that does not follow its own protocol; try again in a while")


def retry_after(headers: Mapping[str, str], *, now_s: float) -> float | None:
    """Return the seconds that a provider asks to wait, from `retry-after-ms` or `retry-after`; None when it does not.

    Args:
        headers: the reply's headers, any case.
        now_s: the current Unix time, for a `retry-after` that is a date.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    milliseconds = _number(lower.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    wait = lower.get("retry-after")
    seconds = _number(wait)
    return seconds if seconds is not None or wait is None else _until(wait, now_s)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _until(date: str, now_s: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now_s)
    except (ValueError, TypeError, OverflowError):
        return None

"""A provider's failures, as errors in this program's own words.

Law: a vendor's exception may hold the prompt, the reply or the key in its message, cause, context or request, so only
its facts (status, wait, codes) are read, and a new error is raised outside the handler. None of the vendor's words is
passed on (promise 6; rulings D24, D25). A message names the settings that help.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import ceil, isfinite

from voice.adapters.llm.provider_messages import ErrorFacts
from voice.core.errors import ProviderError, ProviderRejected, ProviderUnavailable
from voice.core.messages.showing import vendor
from voice.core.model_endpoints import REPLACEMENTS, RequestPart, public_address
from voice.core.settings.providers import key_names

VENDOR_FAULTS = (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, EOFError)
"""Besides their own errors, vendors raise these for a reply that does not follow their schema."""
GRACE_S = 5.0
"""Extra time for a vendor's library, so that the client's own timeout comes first."""
_NO_FACTS = ErrorFacts()


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingNames:
    """The names of the settings for a model's calls."""

    model: str = "SURR_INNER_VOICE_MODEL"
    key: str = "SURR_INNER_VOICE_API_KEY"
    api_base: str = "SURR_INNER_VOICE_API_BASE"
    provider: str = "SURR_INNER_VOICE_PROVIDER"
    output: str = "SURR_INNER_VOICE_MAX_OUTPUT_TOKENS"
    prompt: str = "SURR_INNER_VOICE_MAX_TOKENS"
    temperature: str = "SURR_INNER_VOICE_TEMP"
    stream: str = "SURR_INNER_VOICE_STREAM"


WRITER = SettingNames()
CHECKER = SettingNames(
    model="SURR_VERIFIER_MODEL",
    key="SURR_VERIFIER_API_KEY",
    api_base="SURR_VERIFIER_MODEL",  # names the endpoint as well
    provider="SURR_VERIFIER_MODEL",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressee:
    """The provider of a call, and the names of the settings that decide on it."""

    provider: str
    names: SettingNames = WRITER
    api_base: str | None = None
    """Where it was sent, if not to the vendor's own address."""

    @property
    def keys(self) -> str:
        """The settings that may hold the key, the one that takes precedence first."""
        vendors = () if self.api_base is not None else key_names(self.provider)
        return " or ".join((self.names.key, *vendors))

    def rejected(self, reason: str, *, untaken: RequestPart | None = None) -> ProviderRejected:
        """Return the error that this provider rejects a request."""
        return ProviderRejected(f"{vendor(self.provider)} {reason}", untaken=untaken)


def error_of_status(
    status: int, asked: Addressee, *, retry_after_s: float | None = None, body: ErrorFacts = _NO_FACTS
) -> ProviderError:
    """Return the error for an HTTP status, which may be retried (408, 409, 425, 429, 5xx) or not."""
    if body.trouble == "quota" and status in (400, 402, 403, 429):  # vendors say it with any of these
        return _out_of_quota(asked)
    if status in (408, 409, 425, 429) or status >= 500:
        wait_s = retry_after_s if retry_after_s is not None else body.wait_s
        problem = "limits the rate of requests" if status == 429 else f"could not answer (status {status})"
        return ProviderUnavailable(
            f"{vendor(asked.provider)} {problem}; try again {_when(wait_s)}", retry_after_s=wait_s
        )
    if status in (400, 404, 415, 422) and body.untaken is not None:
        return _not_taken(asked, body.untaken)
    return asked.rejected(_reason(status, asked.names, asked.keys, body))


def redirect_error(asked: Addressee, status: int) -> ProviderRejected:
    """Return the error for a redirect, which would send the request and the key to another address."""
    return asked.rejected(
        f"sends requests on to another address (status {status}), where neither question nor key is sent; "
        f"set {asked.names.api_base} to the address that answers"
    )


def html_page_error(asked: Addressee) -> ProviderRejected:
    """Return the error for a web page in place of a reply."""
    return asked.rejected(
        f"answers with a web page; check {asked.names.api_base}, and whether your network wants you to sign in"
    )


def unreachable_error(asked: Addressee) -> ProviderUnavailable:
    """Return the error for a connection that could not be made or was cut."""
    at = "" if asked.api_base is None else f" at {public_address(asked.api_base)}"
    check = "" if asked.api_base is None else f", or check {asked.names.api_base}"
    return ProviderUnavailable(
        f"the connection to {vendor(asked.provider)}{at} could not be made or was cut; try again in a while{check}"
    )


def protocol_error(provider: str) -> ProviderUnavailable:
    """Return the error for a reply that does not follow the provider's own protocol."""
    return ProviderUnavailable(
        f"{vendor(provider)} sent a reply that does not follow its own protocol; try again in a while"
    )


def retry_after(headers: Mapping[str, str], *, now_s: float) -> float | None:
    """Return the seconds to wait, from `retry-after-ms` or `retry-after`; None if the headers have neither."""
    lower = {name.lower(): value for name, value in headers.items()}
    milliseconds = _number(lower.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    wait = lower.get("retry-after")
    seconds = _number(wait)
    return seconds if seconds is not None or wait is None else _until(wait, now_s)


def _out_of_quota(asked: Addressee) -> ProviderRejected:
    return asked.rejected(
        "says that the account's quota or credit is used up; check its billing there, or choose another provider with "
        f"{asked.names.provider}"
    )


def _not_taken(asked: Addressee, part: RequestPart) -> ProviderRejected:
    setting = {"stream": f"set {asked.names.stream}=0", "temperature": f"unset {asked.names.temperature}"}
    advice = setting.get(part, f"ask again, or choose another model with {asked.names.model}")
    return asked.rejected(f"takes {REPLACEMENTS[part]}; {advice}", untaken=part)


def _reason(status: int, names: SettingNames, keys: str, body: ErrorFacts) -> str:
    by_trouble = {
        "key": f"does not accept the key; check {keys}",
        "region": f"does not serve the place that you ask from; choose another provider with {names.provider}",
        "length": f"says the prompt is too long; lower {names.prompt}",
        "limit": f"does not write replies as long as asked for; lower {names.output}",
        "temperature": f"does not take this temperature; change {names.temperature}",
    }
    if status == 400 and body.trouble in by_trouble:
        return by_trouble[body.trouble]
    by_status = {
        400: f"does not accept the request; check {names.model}, {names.output} and {names.temperature}",
        401: by_trouble["key"],
        402: f"asks for payment; check the account's balance, or choose another provider with {names.provider}",
        403: by_trouble["region"]
        if body.trouble == "region"
        else f"does not allow this key to use the model; check {keys} and {names.model}",
        404: f"does not know the model; check {names.model} and {names.api_base}",
        413: by_trouble["length"],
    }
    return by_status.get(status, f"answered with status {status}; check {names.api_base}")


def _when(wait_s: float | None) -> str:
    """Return when to try again, in the largest unit with a number of two or more."""
    if not wait_s:
        return "in a while"
    size, unit = next((size, unit) for least, size, unit in _UNITS if wait_s > least)
    count = ceil(wait_s / size)
    return f"in {count} {unit}{'' if count == 1 else 's'}"


# Seconds above which the unit counts, and its seconds.
_UNITS = ((172_800, 86_400, "day"), (7_200, 3_600, "hour"), (120, 60, "minute"), (0, 1, "second"))


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None  # not "nan", "inf" or "-1"


def _until(date: str, now_s: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now_s)
    except (ValueError, TypeError, OverflowError):
        return None

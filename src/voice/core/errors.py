"""The tree of errors, each with a stable code.

Law: an error says what could not be done, carries a stable code, and its message tells a person what to do about it.
A refusal is not an error; it is an answer (`voice.core.grounding`). Codes and exit codes are part of the public
interface. No message ever contains prompt, draft or the text of a row; a name that means several things is answered
with theirs: topics of conversations, names of entities.

    VoiceError                    internal_error
    +-- FeatureDisabled           feature_disabled       exit 4
    +-- InvalidParams             invalid_params         exit 2
    |   +-- UnknownId             unknown_id             exit 2
    |   +-- ScopeRequired         scope_required         exit 2
    |   +-- CapsuleClosed         capsule_closed         exit 2
    |   +-- KeyReused             key_reused             exit 2
    +-- ConfigurationError        configuration_error    exit 4
    +-- StoreError                db_error               exit 1
    |   +-- StoreHeld             store_held             exit 4
    |   +-- StoreUnavailable      store_unavailable      exit 1   (try again)
    |   +-- SchemaDrift           schema_drift           exit 4
    |   +-- StoreDamaged          store_damaged          exit 1
    |   +-- SessionConflict       session_conflict       exit 1   (try again)
    |   +-- AlreadyAsked          already_asked          exit 1   (try again)
    |   +-- OutcomeUnknown        outcome_unknown        exit 9   (look first)
    +-- NoSession                 no_session             exit 2
    +-- EmbedderUnavailable       embedder_unavailable   exit 5
    +-- RerankerUnavailable       reranker_unavailable   exit 5
    +-- RetrievalProviderError    retrieval_provider_error  exit 5
    +-- VerifierFailed            verifier_failed        exit 5
    |   +-- OpinionMalformed      opinion_malformed      exit 5
    +-- ProviderError             provider_error         exit 5
    |   +-- ProviderUnavailable   provider_unavailable   exit 5   (try again)
    |   +-- ProviderRejected      provider_rejected      exit 5
    |   +-- DeadlineExceeded      deadline               exit 5
    |   +-- BudgetExceeded        budget                 exit 6
    +-- DataFileError             data_file_error        exit 2
Source: spec inner_voice.retrieve, Error Handling; rulings A8, A18, A20, C17, D21, D25; promise 7; DESIGN 10.
"""

from typing import ClassVar


class VoiceError(Exception):
    """Base of every error this program raises on purpose; by itself an unexpected failure."""

    code: ClassVar[str] = "internal_error"
    exit_code: ClassVar[int] = 1  # of the command; only some kinds have one of their own
    retryable: ClassVar[bool] = False  # whether another try may succeed without any change

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class FeatureDisabled(VoiceError):
    """The inner voice is switched off."""

    code = "feature_disabled"
    exit_code = 4


class InvalidParams(VoiceError):
    """The request is not valid, or uses a name that fits several things."""

    code = "invalid_params"
    exit_code = 2


class UnknownId(InvalidParams):
    """An id or name that is not in the store."""

    code = "unknown_id"


class ScopeRequired(InvalidParams):
    """Something in the store is scoped and the caller named no scope."""

    code = "scope_required"


class CapsuleClosed(InvalidParams):
    """The capsule is closed, so nothing can be put into it."""

    code = "capsule_closed"


class KeyReused(InvalidParams):
    """An idempotency key was used for another call."""

    code = "key_reused"


class ConfigurationError(VoiceError):
    """A setting is missing or wrong; the message names it and its origin."""

    code = "configuration_error"
    exit_code = 4


class StoreError(VoiceError):
    """The store failed."""

    code = "db_error"


class StoreHeld(StoreError):
    """Another process holds the embedded store; the message names it."""

    code = "store_held"
    exit_code = 4


class StoreUnavailable(StoreError):
    """The store cannot be reached or written just now."""

    code = "store_unavailable"
    retryable = True


class SchemaDrift(StoreError):
    """The store's schema ledger is not the one this program ships."""

    code = "schema_drift"
    exit_code = 4


class StoreDamaged(StoreError):
    """Rows, or the whole store, are missing or do not verify; the message says how to restore."""

    code = "store_damaged"


class SessionConflict(StoreError):
    """Another writer changed the session first; nothing of theirs or ours is lost.

    A turn that lost was paid for all the same: it is kept behind the one that won, and `exchange_id` names it. None:
    nothing was kept.
    """

    code = "session_conflict"
    retryable = True

    def __init__(self, message: str, *, exchange_id: str | None = None) -> None:
        super().__init__(message)
        self.exchange_id = exchange_id


class AlreadyAsked(StoreError):
    """A turn is stored under this idempotency key; another try returns it."""

    code = "already_asked"
    retryable = True


class OutcomeUnknown(StoreError):
    """It is unknown whether a write happened, because its answer was lost or late. Check, then repeat."""

    code = "outcome_unknown"
    exit_code = 9  # neither done nor undone: look before you repeat


class NoSession(VoiceError):
    """There is no live session to continue."""

    code = "no_session"
    exit_code = 2


class EmbedderUnavailable(VoiceError):
    """The embedder failed; there is no fallback at call time."""

    code = "embedder_unavailable"
    exit_code = 5


class RetrievalProviderError(VoiceError):
    """A retrieval provider of another package failed or broke its contract; the message names it."""

    code = "retrieval_provider_error"
    exit_code = 5


class RerankerUnavailable(VoiceError):
    """The re-ranker is not installed, is another file than the pinned one, or cannot run."""

    code = "reranker_unavailable"
    exit_code = 5


class VerifierFailed(VoiceError):
    """A verifier could not work; the turn is judged without it, and says so."""

    code = "verifier_failed"
    exit_code = 5


class OpinionMalformed(VerifierFailed):
    """A verifier's answer has the wrong shape."""

    code = "opinion_malformed"


class ProviderError(VoiceError):
    """The LLM provider did not give a usable reply."""

    code = "provider_error"
    exit_code = 5


class ProviderUnavailable(ProviderError):
    """The provider is busy, limiting or unreachable; worth another try inside the deadline."""

    code = "provider_unavailable"
    retryable = True

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  # None: the provider did not say


class ProviderRejected(ProviderError):
    """The provider rejects this request as it is (key, model, size); trying again does not help.

    `untaken` names the part of the request that it does not take (`voice.core.model_endpoints.RequestPart`), where it
    says which: without that part it may.
    """

    code = "provider_rejected"

    # A text here, since every module imports this one and it imports none.
    def __init__(self, message: str, *, untaken: str | None = None) -> None:
        super().__init__(message)
        self.untaken = untaken


class DeadlineExceeded(ProviderError):
    """The turn's one deadline passed."""

    code = "deadline"


class BudgetExceeded(ProviderError):
    """The call could cost more than the spending cap leaves; it was not made."""

    code = "budget"
    exit_code = 6


class DataFileError(VoiceError):
    """A file cannot be read, parsed or written."""

    code = "data_file_error"
    exit_code = 2

"""Keeping what models' endpoints do not take of a request.

Law: what is kept holds no word of a memory and no key. One record an endpoint; a later one takes its place. What cannot
be read is as good as not there: it is learned again.

Source: DESIGN 7; ruling J3.
"""

from typing import Protocol

from voice.core.model_endpoints import LearnedEndpoint


class EndpointStore(Protocol):
    """What was learned, of one data directory."""

    def of(self, endpoint: str) -> LearnedEndpoint | None:
        """Return what was learned of the endpoint with that label; it may read from a disk."""
        ...

    def keep(self, record: LearnedEndpoint) -> None:
        """Keep a record in the place of an earlier one of the same endpoint; it may write to a disk.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        ...

    def forget(self, endpoint: str) -> None:
        """Forget what was learned of an endpoint; it may write to a disk.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        ...

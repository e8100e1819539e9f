"""The local providers keep the contract that other packages are held to."""

import pytest

from voice.adapters.retrieval import installed_providers
from voice.ports.retrieval_provider import ProviderContext, RetrievalProvider
from voice.testing.retrieval_providers import RetrievalProviderContract


class _LocalContract(RetrievalProviderContract):
    name = ""

    def make_provider(self, context: ProviderContext) -> RetrievalProvider:
        return installed_providers(context).named(self.name)


@pytest.mark.requirement("s4:provider:interface", "s4:provider:local-fts", "ruling:G.2b", "ruling:G.1")
class TestLocalFts(_LocalContract):
    name = "local-fts"


@pytest.mark.requirement("promise:5", "ruling:C9")
class TestLocalVector(_LocalContract):
    name = "local-vector"


@pytest.mark.requirement("ruling:C9", "ruling:G.2b")
class TestLocalHybrid(_LocalContract):
    name = "local-hybrid"

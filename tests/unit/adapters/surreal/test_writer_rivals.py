"""Writers that ask nobody for a turn make room for one another."""

import pytest

from voice.adapters.surreal.writer import WriteBackoff

pytestmark = pytest.mark.anyio
TRY_S = 0.01


class Clock:
    """Time that passes when a test lets it."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def _rivals(chance: float = 0.5) -> tuple[WriteBackoff, Clock]:
    clock = Clock()
    return WriteBackoff(chance=lambda: chance, clock=clock), clock


@pytest.mark.requirement("server:no-writer-starves")
async def test_who_met_another_one_stands_back_after_its_write_and_reads_the_number_again() -> None:
    rivals, clock = _rivals()
    async with rivals.turn() as is_known:
        assert is_known
    rivals.lost(1, TRY_S)
    rivals.won(TRY_S)
    assert TRY_S < rivals.stand_back_s() < 2 * TRY_S
    async with rivals.turn() as is_known:
        assert not is_known
    clock.now += 2
    assert rivals.stand_back_s() == 0
    async with rivals.turn() as is_known:
        assert is_known
    rivals.won(TRY_S)
    assert rivals.stand_back_s() == 0


@pytest.mark.requirement("server:no-writer-starves")
def test_who_writes_without_a_break_looks_out_for_others_now_and_then() -> None:
    rivals, clock = _rivals()
    waited: list[bool] = []
    for _ in range(24):
        clock.now += TRY_S
        rivals.won(TRY_S)
        waited.append(rivals.stand_back_s() > 0)
        clock.now += rivals.stand_back_s()
    assert waited.count(True) == 3


@pytest.mark.requirement("server:no-writer-starves")
def test_who_writes_now_and_then_waits_for_nobody() -> None:
    rivals, clock = _rivals()
    for _ in range(24):
        clock.now += 5 * TRY_S
        rivals.won(TRY_S)
        assert rivals.stand_back_s() == 0


@pytest.mark.requirement("server:no-writer-starves")
def test_who_lost_comes_again_within_a_few_tries_however_often_it_lost() -> None:
    rivals, _ = _rivals(chance=0.999)
    waits = [rivals.lost(losses, TRY_S) for losses in range(1, 60)]
    assert waits == sorted(waits)
    assert max(waits) < 4 * TRY_S
    assert _rivals(chance=0.0)[0].lost(9, TRY_S) == 0

"""docs/scaling.md says what its command recorded, and the simulation keeps the law it illustrates."""

import json

import pytest
from bench.scaling import BEGIN, END, PAGE, PICTURE, RECORDED, picture, table, writers


@pytest.mark.requirement("server:scaling")
def test_the_figures_of_the_page_are_those_that_were_recorded() -> None:
    told = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()
    assert told == table(json.loads(RECORDED.read_text(encoding="utf-8")))


@pytest.mark.requirement("server:scaling")
def test_the_picture_is_the_one_the_tool_draws() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture()


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.requirement("server:scaling")
def test_the_simulation_comes_out_as_it_was_recorded() -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))["writers"]
    assert [writers(each["services"]) for each in recorded] == recorded


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.requirement("server:no-writer-starves")
@pytest.mark.parametrize(("services", "link_ms"), [(2, 0.2), (3, 20.0), (8, 1.0), (24, 0.2), (24, 20.0)])
def test_in_the_simulation_no_writer_starves_and_none_gives_up(services: int, link_ms: float) -> None:
    found = writers(services, link_ms=link_ms, seed=1)
    assert found["least_share_percent"] > 50
    assert found["gave_up_of_1000"] == 0


def test_one_writer_never_tries_twice_and_more_do_not_add_up() -> None:
    alone, many = writers(1), writers(16)
    assert alone["tries_a_write"] == 1
    assert many["tries_a_write"] > 1
    assert many["writes_a_second"] < 2 * alone["writes_a_second"]

"""A challenge finds what plainly excludes the claim, and leaves alone what is told of another thing."""

from datetime import UTC, datetime

import pytest

from grounding_rows import row
from voice.core.grounding.compose import compose
from voice.core.grounding.values import Draft, Stance

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SAID = datetime(2026, 4, 20, tzinfo=UTC)
OTHER = row("S2", "The bike costs 300 euros.", at=NOW)


def challenged(claim: str, *notes: str) -> Draft:
    rows = [row(f"N{place}", note, at=SAID) for place, note in enumerate(notes)]
    return compose(claim, (*rows, OTHER), Stance.CHALLENGE, now=NOW)


@pytest.mark.requirement("grounding:challenge")
@pytest.mark.parametrize(
    ("claim", "note"),
    [
        ("I always fly", "I do not fly."),
        ("Ida speaks French", "Ida doesn't speak French."),
        ("I never take the train to work", "I always take the train to work."),
        ("The cake is free of nuts", "The cake contains nuts."),
        ("I eat breakfast every day", "I rarely eat breakfast."),
        ("All the plants survived the frost", "Most of the plants died in the frost."),
        ("I feel ill", "I feel healthy."),
        ("I sleep well", "I sleep badly these days."),
        ("The shop is closed on Mondays", "The shop is open on Mondays."),
        ("I work on Sundays", "I never work on Sundays."),
        ("The walls are green", "The walls are white."),
        ("My keys are lost", "I found my keys in the car."),
        ("I own a piano", "I sold the piano in May."),
        ("I still have the old bike", "I gave away the old bike."),
        ("Jonas plays the piano", "Jonas used to play the piano in Bergen."),
        ("I drive to work", "I used to drive to work, now I cycle."),
        ("Jonas eats meat", "Jonas doesn't eat meat."),
        ("I always win at chess", "I sometimes win at chess."),
        ("I never eat meat", "I often eat meat."),
        ("The bread is gluten-free", "The bread contains gluten."),
        ("The bread contains gluten", "The bread is free of gluten."),
        ("The concert was cancelled", "The concert took place on Friday."),
        ("Ich esse immer Fleisch", "Ich esse selten Fleisch."),
        ("Nunca tomo café", "Siempre tomo café."),
        ("The dog is called Rex", "The dog is called Bello."),
        ("Anna likes spiders", "Anna is afraid of spiders."),
        ("The printer is broken", "The printer was repaired on Monday."),
        ("I smoke", "I quit smoking in May."),
        ("Everybody likes the plan", "Nobody likes the plan."),
        ("The door is locked", "The door is open."),
        ("The meeting is in the morning", "The meeting is in the evening."),
        ("I walk to school every day", "I rarely walk to school."),
        ("We have two cats", "We have three cats."),
        ("I have a driving licence", "I don't have a driving licence."),
        ("I paid the rent in June", "I did not pay the rent in June."),
        ("The baby is asleep", "The baby is awake."),
        ("Tom lives upstairs", "Tom lives downstairs."),
        ("My mother is a teacher", "My mother is not a teacher."),
        ("The soup is hot", "The soup is cold."),
        ("The train is always late", "The train is never late."),
        ("Usually I drink tea", "I never drink tea."),
        ("The house has a garden", "The house has no garden."),
        ("The exam went badly", "The exam went well."),
        ("Every student passed", "No student passed."),
        ("Nothing was stolen", "The bike was stolen."),
        ("The shed has a window", "The shed has no windows."),
        ("The lake is deep", "The lake is shallow."),
        ("The old bridge is closed", "The old bridge is open."),
        ("I have never been to Rome", "I was in Rome in 2019."),
        ("I have never been to Rome", "I went to Rome last spring."),
        ("I live alone", "I live with my partner."),
        ("My flight leaves at 7:30", "My flight leaves at 9:15."),
        ("My flight leaves from Berlin", "My flight leaves from Hamburg."),
        ("The kiln is in the shed", "The kiln is in the house now."),
        ("The kiln is in the shed", "I moved the kiln from the shed to the house."),
        ("I trust Ben", "I do not trust Ben."),
        ("The report is finished", "The report is not finished yet."),
        ("Nora is my boss", "Nora is not my boss any more."),
        ("We won the match", "We lost the match."),
        ("The tea is free", "The tea costs two euros."),
        ("The path is safe", "The path is dangerous after rain."),
        ("Paul is taller than Ines", "Ines is taller than Paul."),
        ("The first talk is on Monday", "The first talk is on Wednesday."),
        ("I feel fine", "I had a fever all night."),
        ("I do not own a car", "I own a car."),
        ("My doctor is Dr Weiss", "My doctor is Dr Braun."),
        ("The rent is 900 euros", "The rent was raised from 900 to 950 euros."),
        ("I love my job", "I hate my job."),
    ],
)
def test_what_excludes_the_claim_is_found(claim: str, note: str) -> None:
    assert [source.span for source in challenged(claim, note).sources] == [note]


@pytest.mark.requirement("grounding:challenge")
@pytest.mark.parametrize(
    ("claim", "note"),
    [
        ("Ida speaks French", "Lena doesn't speak French."),
        ("I drink tea after noon", "I never drink coffee after noon."),
        ("The contract starts on 1 January 2026", "The contract ends on 30 June 2026."),
        ("The museum is open on Mondays", "The museum is closed on Sundays."),
        ("I work on Mondays", "I never work on Sundays."),
        ("The shop opens at nine", "The shop closes at six."),
        ("The walls are green", "The kitchen table is white."),
        ("My car is red", "My bicycle is blue."),
        ("I own a piano shop", "I sold a violin."),
        ("Jonas plays the piano", "Marta used to work with Jonas, who plays the piano."),
        ("I cycle", "I used to drive to work, now I cycle."),
        ("Jonas eats fish", "Jonas doesn't eat meat."),
        ("My brother has no children", "My sister has children."),
        ("Our cat is not afraid of thunder", "Our dog is afraid of thunder."),
        ("I often win at chess", "I sometimes win at chess."),
        ("I often win at chess", "I never win at cards."),
        ("The bread is gluten-free", "The beer contains gluten."),
        ("The concert was cancelled", "The reading took place on Friday."),
        ("Anna likes dogs", "Anna is afraid of spiders."),
        ("Anna likes spiders", "Jonas is afraid of spiders."),
        ("I smoke", "I quit my job in May."),
        ("I smoke", "I quit smoking in May but started again."),
        ("The front door is locked", "The back door is open."),
        ("I paid the rent in May", "I did not pay the rent in June."),
        ("Tom lives upstairs", "Ida lives downstairs."),
        ("I drink wine", "I never drink beer."),
        ("The soup is hot", "The coffee is cold."),
        ("I like summer in Oslo", "I hate winter in Oslo."),
        ("The train is always late", "The bus is never late."),
        ("The house has a garden", "The house has no cellar."),
        ("The exam went well", "The party went badly."),
        ("The dog is called Rex", "The cat is called Bello."),
        ("I have never been to Rome", "I went to Paris last spring."),
        ("The kiln is in the shed", "The bike is in the house."),
        ("I trust Ben", "I do not trust Carla."),
        ("We won the match", "We lost the final."),
        ("Paul is taller than Ines", "Ines is shorter than Paul."),
        ("The first talk is on Monday", "The last talk is on Wednesday."),
        ("I live alone", "I travel with my partner."),
        ("The keys are in the kitchen", "The keys of the car are in the hall."),
        ("The party is in the evening", "The party is in the garden."),
        ("The bag is heavy", "My coat is light."),
        ("The jacket is blue", "The jacket has a red lining and two pockets."),
        ("I eat rice every day", "I rarely eat rice with chopsticks at the office."),
    ],
)
def test_what_is_told_of_another_thing_or_time_speaks_against_nothing(claim: str, note: str) -> None:
    assert challenged(claim, note).refused


@pytest.mark.requirement("grounding:challenge")
def test_beside_what_qualifies_a_claim_stands_nothing_that_says_nothing_against_it() -> None:
    said = challenged(
        "I want to keep the boat", "I worry about the boat and its rotten planks.", "The boat is called Nele."
    )
    assert [source.source_id for source in said.sources] == ["N0"]

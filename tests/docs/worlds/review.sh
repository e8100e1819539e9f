# world: notes
voice kg candidates

# world: notes
voice ask "Where is the kiln?" --new "the kiln"
voice ask "At what cone does the kiln run?" -s "the kiln"
voice ask "Where is the kiln?" -s "the kiln"
voice kg candidates
voice kg show "Anna Lund"

"""One question: understand, find, show, ask, judge, keep."""

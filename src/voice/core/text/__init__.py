"""Text as every other part sees it: normalised, split, cut and located."""

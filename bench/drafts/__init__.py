"""What the judge makes of drafts as strong models write them."""

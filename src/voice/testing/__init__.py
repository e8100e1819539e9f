"""What somebody who extends the inner voice tests their part with."""

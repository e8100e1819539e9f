"""Parts that every use case shares: what a turn is asked and costs, calls to foreign code, telemetry."""

"""What every use case runs on: what a turn is asked and costs, calls to foreign code, telemetry."""

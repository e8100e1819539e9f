"""Telling OpenTelemetry what happens; implements `Telemetry`."""

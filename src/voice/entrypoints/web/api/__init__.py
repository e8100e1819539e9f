"""The interface for programs: `/api/v1`, the same services as JSON."""

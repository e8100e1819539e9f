"""The memory behind the interface of OpenAI's chat completions: `/v1`, for clients that speak nothing else."""

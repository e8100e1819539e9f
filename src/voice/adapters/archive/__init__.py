"""Archives of what was taken away: JSON lines, and Parquet where its package is installed."""

"""Health of the memory: doctor, index proof, exam."""

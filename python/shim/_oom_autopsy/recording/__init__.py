"""Recording, and what is done at an out-of-memory and at the end."""

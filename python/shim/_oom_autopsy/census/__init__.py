"""What is alive by category."""

"""Memory by category over a few steps."""

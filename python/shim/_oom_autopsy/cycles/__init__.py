"""Reference cycles that keep GPU tensors alive."""

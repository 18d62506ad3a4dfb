"""The gate and the editor."""

"""Home pages."""

"""What the home pages show."""

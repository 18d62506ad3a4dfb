"""What is wrong with an installation, and how to fix it."""

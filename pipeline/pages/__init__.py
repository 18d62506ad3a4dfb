"""What the pages about revisions and lists show."""

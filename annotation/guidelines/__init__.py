"""What raters are told, in versions with examples, and what they ask."""

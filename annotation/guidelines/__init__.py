"""What raters are told, in versions with examples."""

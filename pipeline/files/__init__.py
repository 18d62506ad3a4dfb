"""Files of commands, without a database."""

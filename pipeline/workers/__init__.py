"""Which workers are alive, and the recovery of what dead ones held."""

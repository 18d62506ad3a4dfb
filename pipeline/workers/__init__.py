"""The workers, and recovery after crashes."""

"""Attribution, preservation, F1, correctness, reliability, intervals: plain arithmetic."""

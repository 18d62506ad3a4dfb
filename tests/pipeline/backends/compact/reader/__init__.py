"""The trained reader at run time, on tiny networks that the tests make."""

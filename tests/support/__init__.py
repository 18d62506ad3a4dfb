"""Factories, stub servers, fake models and real processes for tests."""

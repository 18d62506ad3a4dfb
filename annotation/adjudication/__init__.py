"""Settling what raters disagree on."""

"""Adjudication of answers on which raters disagree."""

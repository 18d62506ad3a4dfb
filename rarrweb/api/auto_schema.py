"""Summaries and descriptions of operations from docstrings."""

from drf_standardized_errors.openapi import AutoSchema


class SummarySchema(AutoSchema):
    """Use a docstring's first line as summary and the rest as description."""

    def get_summary(self) -> str:
        return super().get_description().partition("\n")[0]

    def get_description(self) -> str:  # type: ignore[override]  # as its base has it
        return super().get_description().partition("\n")[2].strip()

"""How an operation's docstring becomes its words in the schema."""

from drf_standardized_errors.openapi import AutoSchema


class SummarySchema(AutoSchema):
    """The first line of a docstring is the summary, and what follows it the description."""

    def get_summary(self) -> str:
        return super().get_description().partition("\n")[0]

    def get_description(self) -> str:  # type: ignore[override]  # as its base has it
        return super().get_description().partition("\n")[2].strip()

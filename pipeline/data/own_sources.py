"""Which passages of a dataset came with sources of their own."""

from pipeline.importing.came_with import sources_of
from pipeline.models import Dataset, Passage

BATCH = 500


def count_without_sources(dataset: Dataset) -> int:
    """How many passages came without the text of any source: reads what came with each."""
    rows = Passage.objects.filter(dataset=dataset).values_list("source", flat=True)
    return sum(not sources_of(source) for source in rows.iterator(BATCH))

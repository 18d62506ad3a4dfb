"""A passage, a question and a snippet that the tests of the prompted steps share."""

from pipeline.rarr.types import Passage, Query
from tests.support.rarr_fakes import evidence

PASSAGE = Passage(id="1", text="The hall opened in 1931.\nIt seats 900.")
IN_CONTEXT = Passage(id="1", text="It opened in 1931.", context="Tell me about Thorne Hall.")
QUERY = Query(text="When did Thorne Hall open?")
EVIDENCE = evidence("It was opened\n\nin 1934.", title="Thorne Hall")

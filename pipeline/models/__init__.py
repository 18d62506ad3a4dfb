"""Tables of the pipeline."""

from pipeline.models.bases import Archivable
from pipeline.models.data import Corpus, Dataset, Document, Passage, PassageNote, PassageTag
from pipeline.models.runs import Revision, RevisionQuerySet, Run, ScoringJob, SharedRevision
from pipeline.models.uploads import CachedAnswer, Upload, Worker

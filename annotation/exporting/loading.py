"""Python that reads a file with its types: what a manifest shows for three libraries.

Each of them guesses types from the first lines, and guesses wrong if a label is null in all of
these, or an id looks like a number. So the code names every type. `files` may hold several exports
of one format: their types are the same.
"""

from string import Template

from annotation.exporting.schema import TEXT, Fields, FieldType, polars_fields
from rarrweb.csv import NEUTRALIZED

_JSON_LINES = "[json.loads(line) for file in files for line in open(file, encoding='utf-8')]"
_ANSWERS = (
    "[answer for file in files for runs in json.load(open(file, encoding='utf-8')).values()"
    " for answers in runs.values() for answer in answers.values()]"
)
_PANDAS_OF_ROWS = """
import json
import pandas as pd
rows = {rows}
table = pd.DataFrame(rows, columns=$names).astype($nullable)
"""
# In JSON lines, `datasets` reads text first: its reader of JSON rewrites a field whose texts all
# look like dates. In a table text stays as it is, `007` and `NA` too; an empty cell is null where
# it is no text. A Parquet file has its types in it.
_TEMPLATES = {
    ".jsonl": {
        "datasets": """
import json
from datasets import Features, load_dataset
$features
dataset = load_dataset('text', data_files=files, split='train').map(lambda row: \
{**dict.fromkeys(features), **json.loads(row['text'])}, features=features, remove_columns='text')
""",
        "polars": """
import polars as pl
schema = $schema
table = pl.concat([pl.read_ndjson(file, schema=schema) for file in files])
""",
        "pandas": _PANDAS_OF_ROWS.format(rows=_JSON_LINES),
    },
    ".json": {
        "datasets": f"""
import json
from datasets import Dataset, Features
rows = {_ANSWERS}
$features
dataset = Dataset.from_list(rows, features=features)
""",
        "polars": f"""
import json
import polars as pl
rows = {_ANSWERS}
schema = $schema
table = pl.DataFrame(rows, schema=schema)
""",
        "pandas": _PANDAS_OF_ROWS.format(rows=_ANSWERS),
    },
    ".parquet": {
        "datasets": """
from datasets import load_dataset
dataset = load_dataset('parquet', data_files=files, split='train')
""",
        "polars": """
import polars as pl
table = pl.concat([pl.read_parquet(file) for file in files])
""",
        "pandas": """
import pandas as pd
table = pd.concat([pd.read_parquet(file) for file in files])
""",
    },
    ".csv": {
        "datasets": r"""
import json, re
from datasets import Features, load_dataset
$features
dataset = load_dataset('csv', data_files=files, features=features, split='train', $options)
$mark
dataset = dataset.map(lambda row: {name: re.sub(mark, r'\1', value) if isinstance(value, str) else value for name, value in row.items()})
""",  # noqa: E501 (one line in the manifest)
        "polars": """
import polars as pl
schema = $schema
table = pl.concat([pl.read_csv(file, schema=schema) for file in files])
$mark
table = table.with_columns(pl.col(pl.String).fill_null('').str.replace(mark, '$$1'))
""",
        "pandas": r"""
import pandas as pd
types = $types
table = pd.concat([pd.read_csv(file, dtype=types, $options) for file in files])
$mark
table = table.replace(mark, r'\1', regex=True)
""",
    },
}


def loading_of(
    fields: Fields, *, suffix: str, files: list[str], features: str
) -> dict[str, list[str]]:
    """Library to the lines of Python that load `files`, whose schema lies in the file `features`.

    `suffix` is the format's: `.csv`, `.jsonl`, `.parquet`, or `.json` for ALCE's object of answers.
    """
    types = {name: each.pandas for name, each in fields.items() if isinstance(each, FieldType)}
    no_text = [name for name in types if fields[name] != TEXT]
    empty = {name: [""] for name in no_text}
    values = {
        "features": f"features = Features.from_dict(json.load(open({features!r})))",
        "schema": polars_fields(fields),
        "names": list(fields),
        "types": types,
        "nullable": {name: types[name] for name in no_text},
        "options": f"keep_default_na=False, na_values={empty!r}",
        "mark": f"mark = r'{NEUTRALIZED}'  # the apostrophe that keeps spreadsheets from running "
        "a cell",
    }
    return {
        library: [f"files = {files!r}", *Template(text.strip()).substitute(values).splitlines()]
        for library, text in _TEMPLATES[suffix].items()
    }

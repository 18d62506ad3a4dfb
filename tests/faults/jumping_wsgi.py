"""The product's pages, by a clock that `jumping_app` moves."""

import tests.faults.jumping_app  # noqa: F401 - first: models keep the function that tells the time
from rarrweb.wsgi import application

__all__ = ["application"]

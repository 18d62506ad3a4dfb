"""rarrweb: research, revise and judge what language models say."""

from rarrweb.celery import app as celery_app

__all__ = ["celery_app"]
__version__ = "0.1.0"

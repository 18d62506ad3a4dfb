"""Requests allowed and forbidden by the schema get no 5xx, and valid answers."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from rarrweb.accounts.models import User
from rarrweb.accounts.request_checks import utf8_only
from rarrweb.accounts.tokens import make_token
from tests.support.api_lab import body_of, make_lab, operations, read_schema

pytestmark = pytest.mark.django_db
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = 20
"""For each operation; a minute in all."""


@cache
def api() -> Any:
    config = SchemathesisConfig.from_dict({"generation": {"with-security-parameters": False}})
    result = schemathesis.openapi.from_dict(read_schema(), config=config)
    result.app = utf8_only(WSGIHandler())
    return result


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.parametrize(("method", "path"), operations(), ids=" ".join)
def test_answers_match_the_schema(researcher: User, method: str, path: str) -> None:
    lab = make_lab()
    _, secret = make_token(researcher, name="a test", scope="write", days=1)
    sent = {"Authorization": f"Bearer {secret}", "Accept-Encoding": "identity"}
    operation = api()[path][method.upper()]
    values = lab[path.split("/")[2]]
    there = {name: value for name, value in values.items() if f"{{{name}}}" in path}
    body = body_of(path, lab) if method == "post" else None
    known = [operation.as_strategy(GenerationMode.POSITIVE, body=body)] if body else []
    cases = st.one_of(
        *known,
        operation.as_strategy(GenerationMode.POSITIVE, path_parameters=there or None),
        operation.as_strategy(GenerationMode.NEGATIVE, path_parameters=there or None),
        operation.as_strategy(GenerationMode.POSITIVE),
    )

    @seed(0)
    @settings(
        max_examples=EXAMPLES, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(cases)
    def ask(case: Any) -> None:
        with transaction.atomic():  # each case finds the same lab
            case.call_and_validate(headers=sent, checks=CHECKS)
            transaction.set_rollback(True)

    ask()

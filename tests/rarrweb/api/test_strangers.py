"""Every URL of the schema is for researchers only."""

import pytest

from rarrweb.accounts.models import User
from tests.support.api import api_client, errors_of
from tests.support.api_lab import fill, make_lab, operations

pytestmark = pytest.mark.django_db
READ = [path for method, path in operations() if method == "get"]


def test_a_researchers_program_reads_every_address(researcher: User) -> None:
    lab, program = make_lab(), api_client(researcher, scope="read")
    assert {path: program.get(fill(path, lab)).status_code for path in READ} == dict.fromkeys(
        READ, 200
    )


@pytest.mark.parametrize("who", ["a stranger", "a rater of the campaign"])
def test_anybody_elses_program_finds_nothing_at_any_address(stranger: User, who: str) -> None:
    lab = make_lab()
    user = stranger if who == "a stranger" else User.objects.get(username="rita")
    program = api_client(user)
    for method, path in operations():
        errors_of(getattr(program, method)(fill(path, lab)), 404)


def test_a_token_that_only_reads_changes_nothing_at_any_address(researcher: User) -> None:
    lab, program = make_lab(), api_client(researcher, scope="read")
    for method, path in operations():
        if method != "get":
            errors_of(getattr(program, method)(fill(path, lab)), 403)

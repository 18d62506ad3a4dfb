"""Tables whose rows nobody changes or deletes before their time: the database itself refuses."""

from django.db.backends.base.base import BaseDatabaseWrapper

TABLE = "accounts_auditevent"
KEPT_DAYS = 730
"""For so long a row stays; then it may be deleted, and is."""
SAYS = f"{TABLE} is append-only"

_SQLITE = (
    f"CREATE TRIGGER {TABLE}_no_update BEFORE UPDATE ON {TABLE} "
    f"BEGIN SELECT RAISE(ABORT, '{SAYS}'); END",
    f"CREATE TRIGGER {TABLE}_no_delete BEFORE DELETE ON {TABLE} "
    f"WHEN OLD.at > datetime('now', '-{KEPT_DAYS} days') "
    f"BEGIN SELECT RAISE(ABORT, '{SAYS}'); END",
)
_POSTGRESQL = (
    f"CREATE FUNCTION {TABLE}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{SAYS}' USING ERRCODE = 'check_violation'; END $$",
    f"CREATE TRIGGER {TABLE}_no_update BEFORE UPDATE ON {TABLE} "
    f"FOR EACH ROW EXECUTE FUNCTION {TABLE}_refuse()",
    f"CREATE TRIGGER {TABLE}_no_delete BEFORE DELETE ON {TABLE} "
    f"FOR EACH ROW WHEN (OLD.at > now() - interval '{KEPT_DAYS} days') "
    f"EXECUTE FUNCTION {TABLE}_refuse()",
    f"CREATE TRIGGER {TABLE}_no_truncate BEFORE TRUNCATE ON {TABLE} "
    f"FOR EACH STATEMENT EXECUTE FUNCTION {TABLE}_refuse()",
)


def refuse_changes(connection: BaseDatabaseWrapper) -> None:
    """Put the triggers on the table."""
    with connection.cursor() as cursor:
        for statement in _SQLITE if connection.vendor == "sqlite" else _POSTGRESQL:
            cursor.execute(statement)


def allow_changes(connection: BaseDatabaseWrapper) -> None:
    """Take them off again."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"DROP TRIGGER {TABLE}_no_update")
            cursor.execute(f"DROP TRIGGER {TABLE}_no_delete")
        else:
            cursor.execute(f"DROP FUNCTION {TABLE}_refuse() CASCADE")

"""Users, invitation links and API tokens."""

import hashlib
import secrets
from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.utils import timezone

from rarrweb.accounts.names import username_key
from rarrweb.web.names import check_name


class PeopleManager(UserManager["User"]):
    use_in_migrations = False

    def create_superuser(
        self,
        username: str,
        email: str | None = None,
        password: str | None = None,
        **extra_fields: Any,
    ) -> "User":
        check_name(username)
        extra_fields["role"] = User.Role.ADMINISTRATOR
        return self.create_user(username, email, password, **extra_fields)

    def with_name(self, name: str) -> "User | None":
        """Find a user by name, in any spelling."""
        return self.filter(username_key=username_key(name)).first()


class User(AbstractUser):
    """A person with an account; roles within a campaign are in `annotation.Membership`."""

    class Role(models.TextChoices):
        NONE = "", "member"
        RESEARCHER = "researcher", "researcher"
        ADMINISTRATOR = "administrator", "administrator"

    role = models.CharField(max_length=20, choices=Role, default=Role.NONE, blank=True)

    username_key = models.CharField(max_length=500, unique=True, editable=False)
    """`names.username_key` of the user name, unique in any spelling."""

    times_shut = models.PositiveIntegerField(default=0, editable=False)
    """Incremented to end all sessions and password links of the user."""

    is_imported = models.BooleanField(default=False, editable=False)
    """Whether it is a rater of imported judgments, who can never log in."""

    # `createsuperuser` asks for no e-mail address.
    REQUIRED_FIELDS = []

    objects: ClassVar[PeopleManager] = PeopleManager()

    def save(self, *args: Any, **values: Any) -> None:
        self.username_key = username_key(self.username)
        super().save(*args, **values)

    @property
    def is_administrator(self) -> bool:
        return self.is_active and self.role == self.Role.ADMINISTRATOR

    @property
    def is_researcher(self) -> bool:
        return self.is_active and self.role in {self.Role.RESEARCHER, self.Role.ADMINISTRATOR}

    def get_session_auth_hash(self) -> str:
        return f"{super().get_session_auth_hash()}{self.times_shut or ''}"


Link = TypeVar("Link", bound="ExpiringLink")


class ExpiringLinkQuerySet(models.QuerySet[Link]):
    def usable(self) -> Self:
        return self.filter(accepted_at=None, expires_at__gt=timezone.now())


class ExpiringLink(models.Model):
    token_hash = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=200, blank=True, help_text="For whom it is.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True)

    objects = ExpiringLinkQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def is_usable(self) -> bool:
        return self.accepted_at is None and self.expires_at > timezone.now()

    def may_be_made_by(self, user: User) -> bool:
        return False


class Invitation(ExpiringLink):
    role = models.CharField(max_length=20, choices=User.Role, default=User.Role.NONE, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation {self.pk} ({self.get_role_display()})"

    def may_be_made_by(self, user: User) -> bool:
        return user.is_administrator


def hash_token(token: str) -> str:
    """Hash a token with SHA-256, which suffices for long random tokens."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    return secrets.token_urlsafe(32)


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def usable(self) -> Self:
        return self.filter(revoked_at=None, expires_at__gt=timezone.now(), user__is_active=True)


class ApiToken(models.Model):
    """Access to the API for a program; only a hash of the secret is stored."""

    class Scope(models.TextChoices):
        READ = "read", "read"
        WRITE = "write", "read and write"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=20)
    """The beginning of the secret."""
    token_hash = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.READ)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    """To the minute."""
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()

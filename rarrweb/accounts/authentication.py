"""Who a session belongs to, as Django tells it, with the query of every request built once."""

from django.contrib.auth.backends import ModelBackend

from rarrweb.accounts.models import User
from rarrweb.prepared import PreparedModels


class Backend(ModelBackend):
    def get_user(self, user_id: int) -> User | None:
        """The person, unless their account is shut."""
        user = _by_id.first(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


_by_id = PreparedModels(lambda user: User.objects.filter(pk=user))

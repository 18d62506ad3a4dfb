"""API tokens of a researcher."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from rarrweb.accounts import tokens
from rarrweb.accounts.forms import TokenForm
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import ApiToken


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def token_list(request: UserRequest) -> HttpResponse:
    """List or create tokens. Only the response to the POST contains a new secret."""
    if not request.user.is_researcher:
        raise Http404
    form = TokenForm(request.POST or None)
    made, secret = None, ""
    if request.method == "POST" and form.is_valid():
        made, secret = tokens.make_token(request.user, **form.cleaned_data)
        form = TokenForm()
    usable = ApiToken.objects.filter(user=request.user, revoked_at=None)
    context = {"form": form, "tokens": usable, "made": made, "secret": secret}
    return render(request, "accounts/tokens.html", context)


@require_POST
def revoke_token(request: UserRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, user=request.user, pk=token_id)
    tokens.revoke_token(token)
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("accounts:tokens")

"""A saved view's name, and who sees it."""

from django import forms
from django.db import IntegrityError, transaction

from pipeline.models import SavedView
from rarrweb.accounts.models import User
from rarrweb.names import check_name


class SavedViewForm(forms.ModelForm):
    class Meta:
        model = SavedView
        fields = ["name", "is_shared"]
        error_messages = {
            "name": {
                "required": "Give the view a name.",
                "max_length": "The name is too long: at most 100 characters.",
            }
        }

    def __init__(self, *args: object, owner: User, **values: object) -> None:
        super().__init__(*args, **values)  # type: ignore[arg-type]
        self.owner = owner

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        check_name(name)
        others = SavedView.objects.filter(owner=self.owner, name=name).exclude(pk=self.instance.pk)
        if others.exists():
            raise forms.ValidationError(_taken(name))
        return name

    def save_once(self) -> SavedView | None:
        """The view as it is stored; None, and a `fault`, where it cannot be."""
        try:
            with transaction.atomic():
                return self.save() if self.is_valid() else None
        except IntegrityError:  # a second click came at the same moment
            self.add_error("name", _taken(self.cleaned_data["name"]))
            return None

    @property
    def fault(self) -> str:
        """What is wrong, in a sentence."""
        return str(next(iter(self.errors.values()))[0])


def _taken(name: str) -> str:
    return f"You have a view “{name}” already: take another name."

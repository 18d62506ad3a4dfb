"""A saved view's name, and who sees it."""

from django import forms

from pipeline.models import SavedView
from rarrweb.accounts.models import User


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
        others = SavedView.objects.filter(owner=self.owner, name=name).exclude(pk=self.instance.pk)
        if others.exists():
            raise forms.ValidationError(f"You have a view “{name}” already: take another name.")
        return name

    @property
    def fault(self) -> str:
        """What is wrong, in a sentence."""
        return str(next(iter(self.errors.values()))[0])

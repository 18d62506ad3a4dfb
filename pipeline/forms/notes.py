"""What is written about a passage."""

from django import forms

from pipeline.data.notes import NOTE_LENGTH


class NoteForm(forms.Form):
    text = forms.CharField(
        max_length=NOTE_LENGTH,
        error_messages={
            "required": "The note is empty: write something.",
            "max_length": f"The note is too long: at most {NOTE_LENGTH:,} characters.",
        },
    )

"""Where an uploaded file lies while it comes in."""

import tempfile
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler


class UnnamedFileUploadHandler(FileUploadHandler):
    """Keeps a large file in the state folder without a name.

    So it is gone with the process that receives it, however that ends: nothing is left to sweep.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes]":
        self.file.seek(0)
        return UploadedFile(
            self.file,
            self.file_name,
            self.content_type,
            file_size,
            self.charset,
            self.content_type_extra,
        )

    def upload_interrupted(self) -> None:
        if hasattr(self, "file"):
            self.file.close()

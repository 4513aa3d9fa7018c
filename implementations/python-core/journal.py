"""A file of JSON lines that is on the disk before a call returns."""

import json
import os
import threading


class Journal:
    """What a workspace remembers. After close nothing is written any more."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self._path = os.path.join(folder, "journal.ndjson")
        self._lock = threading.Lock()
        self.records = list(self._read())
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def _read(self):
        """A last line that a kill cut off is taken away: nothing was told of it."""
        if not os.path.exists(self._path):
            return
        with open(self._path, "rb+") as file:
            text = file.read()
            whole = text[: text.rfind(b"\n") + 1]
            file.truncate(len(whole))
        for line in whole.splitlines():
            yield json.loads(line)

    def append(self, *records):
        """Adds records in one write, which a kill leaves whole or cut off at its end."""
        data = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records).encode()
        with self._lock:
            if self._file is None:
                raise RuntimeError("the workspace is closed")
            written = os.write(self._file, data)
            if written < len(data):
                raise OSError("the disk is full")
            os.fsync(self._file)
            self.records.extend(records)

    def close(self):
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

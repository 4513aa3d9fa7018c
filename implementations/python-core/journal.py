"""A workspace on the disk: its manifest, and a file of JSON lines that are there before a call returns."""

import fcntl
import json
import os
import re
import threading
import time
import uuid


class Unopened(Exception):
    """Why a folder is not opened; the kind is that of an error answer."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def open_manifest(folder):
    """Makes a folder a workspace, or sees that it is one; nothing is written where its manifest does not fit."""
    path = os.path.join(folder, "workspace.json")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump({"schema_version": "1.0", "workspace_id": str(uuid.uuid4()), "created_at": now}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".new", path)
        return
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        sound = (
            manifest["schema_version"] == "1.0"
            and re.fullmatch(r"[A-Za-z0-9._:-]{1,128}", manifest["workspace_id"])
            and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", manifest["created_at"])
            and isinstance(manifest.get("description", ""), str)
            and set(manifest) <= {"schema_version", "workspace_id", "created_at", "description"}
        )
    except (ValueError, KeyError, TypeError, OSError):
        sound = False
    if not sound:
        raise Unopened("invalid", "workspace.json is no manifest of this version")


class Journal:
    """What a workspace remembers. After close nothing is written any more."""

    def __init__(self, folder, incarnation):
        open_manifest(folder)
        os.makedirs(os.path.join(folder, "infrastructure"), exist_ok=True)
        self._path = os.path.join(folder, "infrastructure", "journal.ndjson")
        self._lock = threading.Lock()
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._begin(incarnation)
        except Unopened:
            self.close()
            raise

    def _begin(self, incarnation):
        """Takes the lock, which ends with the process, and a number that no opening has reached."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Unopened("conflict", "another process has this workspace open") from error
        self.records = list(self._read())
        reached = max((record["incarnation"] for record in self.records if record["t"] == "open"), default=0)
        number = reached + 1 if incarnation is None else incarnation
        if number <= reached:
            raise Unopened("conflict", "an opening has reached the incarnation %d" % reached)
        self.append({"t": "open", "incarnation": number})

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

# SPDX-License-Identifier: MIT
"""Runs commands of several tools in one folder, and measures them."""
import collections
import functools
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = 400
# Slower commands run once.
SLOW = 15
TOOLS = ["tapline", "sqlite3", "jq", "Miller", "DuckDB", "DuckDB on SQLite", "mitmdump"]
READ = "read_json('traffic.ndjson', maximum_object_size=10000000)"
MITMDUMP = [sys.executable, "-c", "from mitmproxy.tools.main import mitmdump; mitmdump()"]

# Seconds, processor seconds of all threads, and the most memory in MiB.
Run = collections.namedtuple("Run", "elapsed used memory output")
# A command whose input has one exchange for each `scale` exchanges of the others.
Scaled = collections.namedtuple("Scaled", "command scale")


def sqlite(sql, database="traffic.db"):
    return ["sqlite3", "-readonly", database, sql]


def duckdb(sql, *before):
    code = ("import duckdb, sys\nfor sql in sys.argv[1:-1]: duckdb.sql(sql)\n"
            "for row in duckdb.sql(sys.argv[-1]).fetchall(): print(*row)")
    return [sys.executable, "-c", code, *before, sql]


def duckdb_on_sqlite(sql, database="traffic.db"):
    """The statement gets the tables as s.exchanges, s.hosts and so on, with texts in all columns."""
    return duckdb(sql, f"LOAD '{sqlite_scanner()}'", "SET sqlite_all_varchar = true",
                  f"ATTACH '{database}' AS s (TYPE sqlite, READ_ONLY)")


def jq(condition):
    return ["sh", "-c", f"jq -c 'select({condition}) | .id' traffic.ndjson | wc -l"]


def miller(condition):
    return ["mlr", "--ijsonl", "--ojsonl", "filter", condition, "then", "count", "traffic.ndjson"]


def mitmdump(expression):
    """Lists the flows that match, in two lines each."""
    return ["sh", "-c", f'"$@" -nr flows \'{expression}\' | grep -c "<< "', "sh", *MITMDUMP]


@functools.cache
def sqlite_scanner():
    """Returns the extension of DuckDB that reads SQLite, from PyPI, or None."""
    spec = importlib.util.find_spec("duckdb_extension_sqlite_scanner")
    if spec is None or not is_installed("DuckDB"):
        return None
    version = importlib.metadata.version("duckdb")
    file = pathlib.Path(spec.origin).parent / f"extensions/v{version}/sqlite_scanner.duckdb_extension"
    return file if file.exists() else None


@functools.cache
def is_installed(tool):
    module = {"DuckDB": "duckdb", "mitmdump": "mitmproxy"}.get(tool)
    if module:
        return importlib.util.find_spec(module) is not None
    if tool == "DuckDB on SQLite":
        return sqlite_scanner() is not None
    return tool == "tapline" or shutil.which({"Miller": "mlr"}.get(tool, tool)) is not None


def measure(command, folder, expected=(0,), timeout=TIMEOUT):
    """Runs a command, whose output goes to a temporary file."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=errors, start_new_session=True)
        stop = threading.Timer(timeout, os.killpg, (process.pid, signal.SIGKILL))
        stop.start()
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.monotonic() - start
        stop.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode not in expected:
            text = errors.read()[-500:].decode(errors="replace")
            raise RuntimeError(f"{' '.join(map(str, command))}: {process.returncode}: {text}")
        used = usage.ru_utime + usage.ru_stime
        return Run(elapsed, used, usage.ru_maxrss / 1024, output.read().decode(errors="replace"))


def best(command, folder, rounds):
    """Returns the least of each, of several runs."""
    runs = [measure(command, folder)]
    while len(runs) < (1 if runs[0].elapsed > SLOW else rounds):
        runs.append(measure(command, folder))
    return Run(*(min(column) for column in list(zip(*runs))[:3]), runs[0].output)


def last_number(text):
    found = re.findall(r"\d+", text)
    return int(found[-1]) if found else None


def identifier(connection, sql, *values):
    """Returns the id that a statement finds, as people write it."""
    return str(uuid.UUID(bytes=connection.execute(sql, values).fetchone()[0]))


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*names):
    row(*names)
    print("|---|" + "---:|" * (len(names) - 1), flush=True)

# SPDX-License-Identifier: MIT
"""Import, export, replay, the full-text index, and erasure."""
import json
import shutil

from store_questions import FLOWS, INDEXED
from store_tools import MITMDUMP, READ, SLOW, Run, duckdb, head, last_number, measure, row

REPLAY = """version: 1
sources: [ replay: { path: traffic.db } ]
sinks: [ ndjson: { path: out.ndjson } ]
"""
WRITE = """version: 1
sources: [ replay: { path: traffic.ndjson, id: new, limit: %d } ]
sinks: [ sqlite: { path: %s } ]
"""
COLUMNS = {"id": "$.id", "started": "$.started", "state": "$.state", "client": "$.client",
           "total": "$.timing.total_ms", "method": "$.request.method", "url": "$.request.url",
           "request_headers": "$.request.headers", "request_body": "$.request.body.text",
           "status": "$.response.status", "response_headers": "$.response.headers",
           "response_body": "$.response.body.text"}
IMPORT = ["sqlite3", "other.db", "PRAGMA journal_mode = wal", "PRAGMA synchronous = off",
          "CREATE TABLE lines (line)", ".mode ascii", r'.separator "\001" "\n"',
          ".import traffic.ndjson lines",
          "CREATE TABLE exchanges AS SELECT "
          + ", ".join(f"json_extract(line, '{path}') AS {name}" for name, path in COLUMNS.items())
          + " FROM lines", "CREATE UNIQUE INDEX by_id ON exchanges (id)",
          "CREATE INDEX by_status ON exchanges (status)"]
EXPORT = ("SELECT json_object('id', id, 'started', started, 'state', state, 'client', client, "
          "'total_ms', duration_ms, 'request', json_object('method', method, 'url', url, 'body', "
          "request_body), 'response', json_object('status', status, 'body', response_body), "
          "'headers', json(fields)) FROM (SELECT t.*, e.fields FROM traffic t JOIN exchanges e "
          "USING (seq))")
DUCKDB_FILE = "ATTACH 'other.duckdb' AS other"


def transfers(count):
    """Yields transfers: name, goal, tool, command, files that it writes, and count of exchanges."""
    yield "NDJSON into a database", "50,000", "tapline", \
        ["import", "traffic.ndjson", "--out", "other.db"], ["other.db"], count
    yield "", "", "sqlite3", IMPORT, ["other.db"], count
    yield "", "", "DuckDB", duckdb(
        "SELECT count(*) FROM other.exchanges", DUCKDB_FILE,
        f"CREATE TABLE other.exchanges AS SELECT * FROM {READ}"), ["other.duckdb"], count
    yield "database to NDJSON", "100,000", "tapline", \
        ["export", "traffic.db", "--to", "ndjson", "--out", "out.ndjson"], ["out.ndjson"], count
    yield "the same, to /dev/null", "100,000", "tapline", \
        ["sh", "-c", '"$0" export traffic.db --to ndjson > /dev/null'], [], count
    yield "", "", "sqlite3", ["sh", "-c", f'sqlite3 -readonly traffic.db "{EXPORT}" > out.ndjson'], \
        ["out.ndjson"], count
    yield "", "", "DuckDB", duckdb(
        "SELECT 1", DUCKDB_FILE, "COPY (SELECT * FROM other.exchanges) TO 'out.ndjson' (FORMAT json)"), \
        ["out.ndjson"], count
    yield "database to HAR", "100,000", "tapline", \
        ["export", "traffic.db", "--to", "har", "--out", "out.har"], ["out.har"], count
    yield "the same, to /dev/null", "100,000", "tapline", \
        ["sh", "-c", '"$0" export traffic.db --to har > /dev/null'], [], count
    flows = min(FLOWS, count)
    yield f"{flows:,} flows to HAR", "", "mitmdump", \
        [*MITMDUMP, "-qnr", "flows", "--set", "hardump=out.har"], ["out.har"], flows
    yield "replay of a database to NDJSON", "", "tapline", ["run", "replay.yaml"], ["out.ndjson"], count


def remove(folder, names):
    for name in names:
        for path in folder.glob(f"{name}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def repeated(folder, command, rounds, names):
    """Returns the least of each, of runs that write new files; the files of the last one stay."""
    runs = []
    while len(runs) < (1 if runs and runs[0].elapsed > 3 * SLOW else rounds):
        remove(folder, names)
        runs.append(measure(command, folder))
    return Run(*(min(column) for column in list(zip(*runs))[:3]), runs[0].output)


def for_tapline(command, options):
    """Returns the command with the path of the program."""
    if command[0] == "sh":
        return [*command, options.command]
    return [options.command, *command]


def print_transfers(folder, options):
    (folder / "replay.yaml").write_text(REPLAY)
    head("transfer", "goal, a second", "tool", "a second", "processor time each, µs", "MiB")
    for name, goal, tool, command, names, count in transfers(options.count):
        if tool not in options.tool:
            continue
        if tool == "tapline":
            command = for_tapline(command, options)
        run = repeated(folder, command, options.rounds, names)
        if "other.duckdb" not in names:
            remove(folder, names)
        row(name, goal, tool, f"{count / run.elapsed:,.0f}", f"{run.used / count * 1e6:.1f}",
            f"{run.memory:.0f}")
    remove(folder, ["other.duckdb"])


def print_index(folder, options):
    """Prints the cost of the full-text index, of building it and for a program that writes."""
    if not (folder / f"{INDEXED}-index").exists():
        run = measure([options.command, "index", INDEXED, "--bodies"], folder)
        size = (folder / f"{INDEXED}-index").stat().st_size
        print(f"`tapline index --bodies`: {run.elapsed:.1f} s, {run.used / options.count * 1e6:.1f} µs "
              f"of processor time and {size / options.count:.0f} B per exchange, {run.memory:.0f} MiB\n")
    count, used = max(1, options.count // 5), {"plain.db": [], "triggers.db": []}
    for name, original in (("plain.db", "traffic.db"), ("triggers.db", INDEXED)):
        remove(folder, [name])
        shutil.copy(folder / original, folder / name)
        (folder / f"{name}.yaml").write_text(WRITE % (count, name))
    for _ in range(options.rounds):
        for name, values in used.items():
            command = [options.command, "run", f"{name}.yaml", "--quiet"]
            values.append(measure(command, folder).used / count * 1e6)
    plain, triggers = (min(values) for values in used.values())
    print(f"Writing {count:,} exchanges into the database: {plain:.1f} µs of processor time each, with "
          f"a full-text index {triggers:.1f} µs")
    remove(folder, used)


def erasures(value):
    """Yields what is done to a copy of traffic.db or traffic.ndjson: name, file, and command."""
    tapline = ["--value-file", "value.txt"]
    update = (f"UPDATE %s SET %s = replace(%s, '{value}', '[erased]') WHERE instr(%s, '{value}') > 0")
    updates = [update % (table, column, column, column) for table, column in
               (("bodies", "content"), ("exchanges", "fields"), ("exchanges", "target"))]
    yield "`query`: count of the value", "traffic.db", ["query", "%", f'any contains "{value}"', "--count"]
    yield "`leaks`: search for the value", "traffic.db", ["leaks", "%", "--detectors", "off", *tapline]
    yield "`erase`", "traffic.db", ["erase", "%", "--yes", *tapline]
    yield "sqlite3, secure_delete", "traffic.db", [
        "sqlite3", "%", "PRAGMA secure_delete = on", *updates, "PRAGMA wal_checkpoint(TRUNCATE)"]
    yield "`leaks`, NDJSON", "traffic.ndjson", ["leaks", "%", "--detectors", "off", *tapline]
    yield "`erase`, NDJSON", "traffic.ndjson", ["erase", "%", "--yes", *tapline]
    yield "sed, NDJSON", "traffic.ndjson", ["sed", "-i", f"s/{value}/[erased]/g", "%"]


def print_erasure(folder, options, value):
    """Erases a value from copies, and searches the bytes of all files for it afterwards."""
    (folder / "value.txt").write_text(value + "\n")
    place = folder / "erasure"
    head("on a copy", "s", "processor time, s", "MiB", "lines with the value afterwards")
    for name, original, command in erasures(value):
        is_tapline = command[0] not in ("sqlite3", "sed")
        if command[0] == "sqlite3" and "sqlite3" not in options.tool:
            continue
        is_change = not name.startswith(("`query`", "`leaks`"))
        copy = place / original
        if not copy.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            shutil.copy(folder / original, copy)
        command = [str(copy) if part == "%" else part for part in command]
        # `leaks` exits with 1 if it finds something.
        run = measure(([options.command] if is_tapline else []) + command, folder,
                      expected=(1,) if command[0] == "leaks" else (0,))
        found = ["sh", "-c", f"grep -r -a -F '{value}' erasure | wc -l"]
        left = last_number(measure(found, folder).output) if is_change else ""
        row(name, f"{run.elapsed:.1f}", f"{run.used:.1f}", f"{run.memory:.0f}", left)
        if is_change:
            shutil.rmtree(place)
    print("\nThe value is in", json.dumps(value))

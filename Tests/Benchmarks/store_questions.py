# SPDX-License-Identifier: MIT
"""Questions to a store, and pages of it."""
import sqlite3

from store_tools import (READ, Scaled, best, duckdb, duckdb_on_sqlite, head, identifier, jq, last_number,
                         miller, mitmdump, row, sqlite)

BODY = ("CASE typeof(e.%s_body) WHEN 'integer' THEN (SELECT instr(content, '%s') FROM bodies "
        "WHERE id = e.%s_body) ELSE instr(e.%s_body, '%s') END")
PERCENTILES = """SELECT host, path, max(CASE WHEN n <= 0.5 * c THEN d END),
  max(CASE WHEN n <= 0.9 * c THEN d END), max(CASE WHEN n <= 0.99 * c THEN d END) FROM (
  SELECT host, path, total_us AS d, row_number() OVER (PARTITION BY host, path ORDER BY total_us) AS n,
    count(*) OVER (PARTITION BY host, path) AS c FROM exchanges) GROUP BY 1, 2"""
# A copy of the database that has a full-text index.
INDEXED = "indexed.db"
# The same exchanges with bodies in gzip.
GZIP = "gzip.db"
SIZE = """SELECT (SELECT sum(length(CAST(fields AS BLOB)) + length(target)
  + iif(typeof(request_body) = 'text', length(CAST(request_body AS BLOB)), 0)) FROM exchanges)
  + (SELECT sum(length(CAST(content AS BLOB))) FROM bodies)"""
FLOWS = 100_000


def contains(word):
    either = " OR ".join([f"instr(e.fields, '{word}')", f"instr(e.target, '{word}')",
                          *(BODY % (side, word, side, side, word) for side in ("request", "response"))])
    return f"SELECT count(*) FROM exchanges e WHERE {either}"


def contains_in_duckdb(word):
    parts = " OR ".join(f"contains({part}, '{word}')"
                        for part in ("e.fields", "e.target", "e.request_body", "b.content"))
    return (f"SELECT count(*) FROM s.exchanges e LEFT JOIN s.bodies b ON b.id = e.response_body "
            f"WHERE {parts}")


def counts(flows):
    """Yields questions for numbers of exchanges: name, goal in seconds, and commands."""
    yield "count of a host", 0.15, {
        "tapline": ["query", "traffic.db", 'host == "svc3.shop.test"', "--count"],
        "sqlite3": sqlite("SELECT count(*) FROM exchanges WHERE host IN "
                          "(SELECT id FROM hosts WHERE host = 'svc3.shop.test')"),
        "jq": jq('.request.url | startswith("https://svc3.shop.test/")'),
        "DuckDB": duckdb(f"SELECT count(*) FROM {READ} WHERE request.url LIKE "
                         "'https://svc3.shop.test/%'"),
        "DuckDB on SQLite": duckdb_on_sqlite("SELECT count(*) FROM s.exchanges WHERE host IN (SELECT id "
                                             "FROM s.hosts WHERE host = 'svc3.shop.test')"),
        "mitmdump": Scaled(mitmdump("~d svc3\\.shop\\.test"), flows),
    }
    yield "count by duration", 0.5, {
        "tapline": ["query", "traffic.db", "duration > 100ms", "--count"],
        "sqlite3": sqlite("SELECT count(*) FROM exchanges WHERE total_us > 100000"),
        "jq": jq(".timing.total_ms > 100"),
        "Miller": miller('$timing["total_ms"] > 100'),
        "DuckDB": duckdb(f"SELECT count(*) FROM {READ} WHERE timing.total_ms > 100"),
        "DuckDB on SQLite": duckdb_on_sqlite("SELECT count(*) FROM s.exchanges WHERE total_us::BIGINT "
                                             "> 100000"),
    }
    yield "count by size and method", 0.5, {
        "tapline": ["query", "traffic.db", 'method == "POST" and response.size > 700', "--count"],
        "sqlite3": sqlite("SELECT count(*) FROM exchanges WHERE method = 'POST' "
                          "AND response_size > 700"),
        "jq": jq('.request.method == "POST" and .response.body.size > 700'),
        "DuckDB": duckdb(f"SELECT count(*) FROM {READ} WHERE request.method = 'POST' AND "
                         "response.body.size > 700"),
        "DuckDB on SQLite": duckdb_on_sqlite("SELECT count(*) FROM s.exchanges WHERE method = 'POST' "
                                             "AND response_size::BIGINT > 700"),
    }
    yield "count by a regular expression", 0.5, {
        "tapline": ["query", "traffic.db", 'path ~ "^/users/1.*7$"', "--count"],
        "sqlite3": sqlite("SELECT count(*) FROM exchanges WHERE target REGEXP '^/users/1[^?]*7[?]'"),
        "jq": jq('.request.url | test("/users/1[^?]*7[?]")'),
        "DuckDB": duckdb(f"SELECT count(*) FROM {READ} WHERE "
                         "regexp_matches(request.url, '/users/1[^?]*7[?]')"),
        "DuckDB on SQLite": duckdb_on_sqlite("SELECT count(*) FROM s.exchanges WHERE "
                                             "regexp_matches(target, '^/users/1[^?]*7[?]')"),
        "mitmdump": Scaled(mitmdump("~u /users/1[^?]*7[?]"), flows),
    }


def words(value, rare, flows):
    """Yields questions for words."""
    word, two = value.split(" ")[2], " ".join(value.split(" ")[1:3])
    yield "newest 50 with a word", 0.05, {
        "tapline": ["query", "traffic.db", f'any contains "{word}"', "--limit", "50"],
    }
    yield "count of a word anywhere", 1, {
        "tapline": ["query", "traffic.db", f'any contains "{word}"', "--count"],
        "sqlite3": sqlite(contains(word)),
        "jq": jq(f'tostring | contains("{word}")'),
        "DuckDB": duckdb("SELECT count(*) FROM read_json_objects('traffic.ndjson', "
                         f"maximum_object_size=10000000) WHERE contains(json::VARCHAR, '{word}')"),
        "DuckDB on SQLite": duckdb_on_sqlite(contains_in_duckdb(word)),
        "mitmdump": Scaled(mitmdump(f"~b {word}"), flows),
    }
    yield "count of two words anywhere", 1, {
        "tapline": ["query", "traffic.db", f'any contains "{two}"', "--count"],
        "sqlite3": sqlite(contains(two)),
        "DuckDB on SQLite": duckdb_on_sqlite(contains_in_duckdb(two)),
    }
    yield "count of a word anywhere, bodies in gzip", "", {
        "tapline": ["query", GZIP, f'any contains "{word}"', "--count"],
    }
    yield "count of a rare word, full-text index", 0.05, {
        "tapline": ["query", INDEXED, f'any contains "{rare}"', "--count"],
        "sqlite3": sqlite(contains(rare)),
        "jq": jq(f'tostring | contains("{rare}")'),
        "DuckDB on SQLite": duckdb_on_sqlite(contains_in_duckdb(rare)),
    }
    yield "newest 50 of a frequent word, full-text index", "", {
        "tapline": ["query", INDEXED, f'any contains "{word}"', "--limit", "50"],
    }


def questions(value, rare, flows):
    """Yields the name of each question, its goal in seconds, and the command of each tool."""
    yield "newest 50 of a host", 0.03, {
        "tapline": ["query", "traffic.db", 'host == "svc3.shop.test"', "--limit", "50"],
        "sqlite3": sqlite("SELECT * FROM traffic WHERE host = 'svc3.shop.test' "
                          "ORDER BY seq DESC LIMIT 50"),
    }
    yield "newest 50 of a route", 0.03, {
        "tapline": ["query", "traffic.db", 'route == "/tokens/{id}"', "--limit", "50"],
    }
    yield "newest 50 of a status", 0.03, {
        "tapline": ["query", "traffic.db", "status == 503", "--limit", "50"],
        "sqlite3": sqlite("SELECT * FROM traffic WHERE status = 503 ORDER BY seq DESC LIMIT 50"),
    }
    yield from counts(flows)
    yield from words(value, rare, flows)
    yield "percentiles by host and route", 0.6, {
        "tapline": ["stats", "traffic.db", "--by", "host,route"],
        "sqlite3": sqlite(PERCENTILES),
        "Miller": ["mlr", "--ijsonl", "--ocsv", "put", '$p = splitax($request["url"], "/"); '
                   '$h = $p[3]; $n = $p[4]; $d = $timing["total_ms"]', "then", "stats1", "-a",
                   "p50,p90,p99", "-f", "d", "-g", "h,n", "traffic.ndjson"],
        "DuckDB": duckdb("SELECT h, n, quantile_cont(d, [0.5, 0.9, 0.99]) FROM (SELECT "
                         "split_part(request.url, '/', 3) AS h, split_part(request.url, '/', 4) "
                         f"AS n, timing.total_ms AS d FROM {READ}) GROUP BY 1, 2"),
        "DuckDB on SQLite": duckdb_on_sqlite("SELECT host, path, quantile_cont(total_us::BIGINT, "
                                             "[0.5, 0.9, 0.99]) FROM s.exchanges GROUP BY 1, 2"),
    }


def print_questions(folder, options, value, rare):
    differences = []
    head("question", "goal", *options.tool)
    for name, goal, commands in questions(value, rare, max(1, options.count // FLOWS)):
        if options.only not in name:
            continue
        cells, answer = [], None
        for tool in options.tool:
            command = commands.get(tool, "")
            if not command:
                cells.append("")
                continue
            command, scale = command if isinstance(command, Scaled) else (command, 1)
            run = best(([options.command] if tool == "tapline" else []) + command, folder,
                       options.rounds)
            if name.startswith("count") and scale == 1:
                answer = last_number(run.output) if tool == "tapline" else answer
                if last_number(run.output) != answer:
                    differences.append(f"{name}: {tool} {last_number(run.output)}, tapline {answer}")
            digits = 3 if run.elapsed * scale < 10 else 1
            cells.append(f"{run.elapsed * scale:.{digits}f} ({run.used * scale:.{digits}f})")
        row(name, goal, *cells)
    connection = sqlite3.connect(f"file:{folder / 'traffic.db'}?mode=ro", uri=True)
    size = connection.execute(SIZE).fetchone()[0]
    connection.close()
    print(f"\nURLs, fields and bodies have {size / 1e6:,.0f} MB.")
    print("All answers are the same." if not differences else
          "Other answers: " + "; ".join(differences))


def print_pages(folder, options):
    """Prints the processor time of pages, without that of a process that does nothing."""
    connection = sqlite3.connect(f"file:{folder / 'traffic.db'}?mode=ro", uri=True)
    number = "SELECT id FROM exchanges WHERE seq = ?"
    status = "SELECT id FROM exchanges WHERE status > 0 ORDER BY status DESC, seq DESC LIMIT 1 OFFSET ?"
    last = options.count - 51
    pages = [
        ("first, newest first", 5, []),
        ("in the middle", 5, ["--after", identifier(connection, number, options.count // 2)]),
        ("last", 5, ["--after", identifier(connection, number, 51)]),
        ("first by status", 5, ["--sort", "-status"]),
        ("by status, in the middle", 5,
         ["--sort", "-status", "--after", identifier(connection, status, last // 2)]),
        ("last by status", 5, ["--sort", "-status", "--after", identifier(connection, status, last)]),
        ("first by duration, without an index", 1000, ["--sort", "-duration"]),
    ]
    connection.close()
    rounds = max(options.rounds, 5)
    start = best([options.command, "version"], folder, rounds * 4).used

    def used(arguments, limit, rounds):
        command = [options.command, "query", "traffic.db", "--limit", str(limit), *arguments]
        return best(command, folder, rounds)

    head("page of 50", "goal, ms", "processor time, ms", "whole process, ms", "each further page, ms")
    for name, goal, arguments in pages:
        run = used(arguments, 50, rounds * 4 if goal < 100 else rounds)
        further = ""
        if name.startswith("first"):
            further = f"{(used(arguments, 10_050, rounds).used - run.used) / 200 * 1000:.2f}"
        row(name, goal, f"{(run.used - start) * 1000:.1f}", f"{run.elapsed * 1000:.0f}", further)
    print(f"\nA process that does nothing takes {start * 1000:.1f} ms.")

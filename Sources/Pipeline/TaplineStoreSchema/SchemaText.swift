// SPDX-License-Identifier: MIT

/// The schema of the sink `sqlite` as SQL; the reference page of the sink explains it.
package enum SchemaText {
    /// `PRAGMA application_id`: "TapL", which distinguishes Tapline's databases from others.
    package static let applicationID: Int64 = 0x5461_704C

    /// Entry *n* upgrades a file from version *n* to *n* + 1.
    ///
    /// Released entries never change; new ones are appended.
    package static let migrations = [tables + views, namedPlaceholders, annotations]

    /// The newest version.
    package static var version: Int64 { Int64(migrations.count) }

    /// The names of the triggers of the newest version.
    package static let triggers: Set<String> = ["exchanges_deleted"]

    /// Rewrites path templates from `/users/*` to `/users/{id}`.
    ///
    /// If the new form of a template already exists, it takes over the rows of the old one. `*`
    /// alone is the target of OPTIONS. The replacement runs twice, since adjacent segments share a
    /// slash.
    private static let namedPlaceholders = """
        CREATE TEMP TABLE renamed AS
          SELECT id, CASE typeof(template) WHEN 'blob' THEN CAST(new AS BLOB) ELSE new END AS template
          FROM (
            SELECT id, template,
              replace(replace(CAST(template AS TEXT) || '/', '/*/', '/{id}/'), '/*/', '/{id}/') AS new
            FROM paths WHERE instr(CAST(template AS TEXT) || '/', '/*/') > 0
          );
        UPDATE renamed SET template = CASE typeof(template)
          WHEN 'blob' THEN substr(template, 1, length(template) - 1)
          ELSE CAST(substr(CAST(template AS BLOB), 1, length(CAST(template AS BLOB)) - 1) AS TEXT) END;
        UPDATE exchanges SET path = (
            SELECT paths.id FROM renamed JOIN paths USING (template) WHERE renamed.id = exchanges.path
          )
          WHERE EXISTS (SELECT 1 FROM renamed JOIN paths USING (template))
            AND path IN (SELECT renamed.id FROM renamed JOIN paths USING (template));
        DELETE FROM paths WHERE id IN (SELECT renamed.id FROM renamed JOIN paths USING (template));
        UPDATE paths SET template = (SELECT template FROM renamed WHERE renamed.id = paths.id)
          WHERE id IN (SELECT id FROM renamed);
        DROP TABLE renamed;
        """

    // Columns are in order of interest, except the large ones: reading a column after a long value
    // follows the value's overflow pages.
    private static let tables = """
        CREATE TABLE exchanges (
          seq INTEGER PRIMARY KEY,
          id BLOB NOT NULL,
          started INTEGER NOT NULL,
          source TEXT NOT NULL,
          state TEXT NOT NULL,
          method ANY NOT NULL,
          host INTEGER NOT NULL REFERENCES hosts (id),
          path INTEGER NOT NULL REFERENCES paths (id),
          target ANY NOT NULL,
          version ANY NOT NULL,
          status INTEGER,
          reason ANY,
          dns_us INTEGER,
          connect_us INTEGER,
          tls_us INTEGER,
          send_us INTEGER,
          wait_us INTEGER,
          receive_us INTEGER,
          total_us INTEGER,
          request_size INTEGER,
          response_size INTEGER,
          client TEXT,
          server TEXT,
          correlation TEXT,
          error_code TEXT,
          error_message TEXT,
          tags TEXT,
          request_body ANY,
          response_body ANY,
          fields TEXT NOT NULL,
          extra TEXT
        ) STRICT;
        CREATE UNIQUE INDEX exchanges_by_id ON exchanges (id);
        CREATE TABLE hosts (
          id INTEGER PRIMARY KEY,
          scheme ANY NOT NULL,
          authority ANY NOT NULL,
          host ANY NOT NULL,
          port INTEGER,
          UNIQUE (scheme, authority)
        ) STRICT;
        CREATE INDEX hosts_by_host ON hosts (host);
        CREATE TABLE paths (
          id INTEGER PRIMARY KEY,
          template ANY NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE bodies (
          id INTEGER PRIMARY KEY,
          hash BLOB NOT NULL,
          size INTEGER NOT NULL,
          content ANY
        ) STRICT;
        CREATE UNIQUE INDEX bodies_in_files ON bodies (hash) WHERE content IS NULL;
        CREATE TABLE body_index (
          key INTEGER NOT NULL,
          body INTEGER NOT NULL,
          PRIMARY KEY (key, body)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE active (
          id BLOB PRIMARY KEY,
          run INTEGER NOT NULL REFERENCES runs (id),
          source TEXT NOT NULL,
          started INTEGER NOT NULL,
          method ANY NOT NULL,
          scheme ANY NOT NULL,
          host ANY NOT NULL,
          port INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE runs (
          id INTEGER PRIMARY KEY,
          opened INTEGER NOT NULL,
          closed INTEGER
        ) STRICT;
        CREATE TABLE settings (
          name TEXT PRIMARY KEY,
          value ANY
        ) STRICT, WITHOUT ROWID;

        """

    private static func uuid(_ column: String) -> String {
        """
        lower(printf('%s-%s-%s-%s-%s', substr(hex(\(column)), 1, 8), substr(hex(\(column)), 9, 4),
            substr(hex(\(column)), 13, 4), substr(hex(\(column)), 17, 4),
            substr(hex(\(column)), 21)))
        """
    }

    private static func moment(_ column: String) -> String {
        """
        strftime('%Y-%m-%dT%H:%M:%S', \(column) / 1000000, 'unixepoch')
            || printf('.%06dZ', \(column) % 1000000)
        """
    }

    private static func body(_ column: String) -> String {
        """
        CASE typeof(e.\(column)) WHEN 'integer'
            THEN (SELECT content FROM bodies WHERE id = e.\(column)) ELSE e.\(column) END
        """
    }

    private static func bodyID(_ column: String) -> String {
        "iif(typeof(e.\(column)) = 'integer', e.\(column), NULL)"
    }

    private static func headers(_ direction: String, _ key: String) -> String {
        """
        SELECT e.seq AS seq, \(uuid("e.id")) AS id, '\(direction)' AS direction,
            f.key AS position, json_extract(f.value, '$[0]') AS name,
            json_extract(f.value, '$[1]') AS value
          FROM exchanges e, json_each(e.fields, '$.\(key)') f
        """
    }

    /// The view of exchanges; `more` are further columns, after a comma.
    static func traffic(tags: String, more: String = "") -> String {
        """
        CREATE VIEW traffic AS
          SELECT e.seq AS seq, \(uuid("e.id")) AS id, \(moment("e.started")) AS started,
            e.source AS source, e.state AS state, e.method AS method, h.scheme AS scheme,
            h.host AS host, h.port AS port,
            CASE instr(e.target, '?') WHEN 0 THEN e.target
              ELSE substr(e.target, 1, instr(e.target, '?') - 1) END AS path,
            CASE instr(e.target, '?') WHEN 0 THEN NULL
              ELSE substr(e.target, instr(e.target, '?') + 1) END AS query,
            p.template AS template,
            CASE WHEN h.scheme = '' OR instr(e.target, '://') > 0 AND e.target NOT LIKE '/%'
              THEN e.target
              ELSE h.scheme || '://' || h.authority || iif(e.method = 'CONNECT' OR e.target = '*', '',
                iif(e.target LIKE '/%', e.target, '/' || e.target)) END AS url,
            e.status AS status, e.reason AS reason, e.total_us / 1000.0 AS duration_ms,
            e.request_size AS request_size, e.response_size AS response_size,
            e.error_code AS error_code, e.error_message AS error_message,
            e.client AS client, e.server AS server, e.correlation AS correlation,
            \(tags) AS tags,
            \(body("request_body")) AS request_body, \(body("response_body")) AS response_body,
            \(bodyID("request_body")) AS request_body_id,
            \(bodyID("response_body")) AS response_body_id\(more)
          FROM exchanges e JOIN hosts h ON h.id = e.host JOIN paths p ON p.id = e.path;
        """
    }

    /// The view of messages; `more` are further columns, after a comma.
    static func messages(more: String = "") -> String {
        """
        CREATE VIEW messages AS
          SELECT e.seq AS seq, \(uuid("e.id")) AS id, m.key AS position,
            json_extract(m.value, '$.dir') AS direction,
            json_extract(m.value, '$.at_ms') AS at_ms, json_extract(m.value, '$.type') AS type,
            json_extract(m.value, '$.code') AS code, json_extract(m.value, '$.text') AS text,
            json_extract(m.value, '$.base64') AS base64,
            json_extract(m.value, '$.size') AS size\(more)
          FROM exchanges e, json_each(e.extra, '$.messages') m;
        """
    }

    private static let views = """
        \(traffic(tags: "e.tags"))
        CREATE VIEW headers AS
          \(headers("request", "request"))
          UNION ALL
          \(headers("response", "response"))
          UNION ALL
          \(headers("request trailer", "request_trailers"))
          UNION ALL
          \(headers("response trailer", "response_trailers"));
        \(messages())
        CREATE VIEW unfinished AS
          SELECT \(uuid("a.id")) AS id, \(moment("a.started")) AS started, a.source AS source,
            a.method AS method, a.scheme AS scheme, a.host AS host, a.port AS port,
            a.run AS run, a.run < (SELECT max(id) FROM runs) AS lost
          FROM active a;
        CREATE VIEW body_texts AS
          SELECT id, size, CAST(sqlar_uncompress(content, size) AS TEXT) AS text
          FROM bodies WHERE content IS NOT NULL;
        CREATE VIEW body_files AS
          SELECT id, size, substr(lower(hex(hash)), 1, 2) || '/' || lower(hex(hash)) AS path
          FROM bodies WHERE content IS NULL;
        """
}

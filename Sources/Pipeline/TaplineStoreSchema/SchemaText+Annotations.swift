// SPDX-License-Identifier: MIT

/// Version 3: notes, marks and tags by people, and saved filters, in tables of their own.
extension SchemaText {
    static let annotations =
        """
        CREATE TABLE notes (
          id INTEGER PRIMARY KEY,
          exchange INTEGER NOT NULL REFERENCES exchanges (seq),
          text TEXT NOT NULL,
          author TEXT NOT NULL,
          mark TEXT NOT NULL,
          at INTEGER
        ) STRICT;
        CREATE INDEX notes_by_exchange ON notes (exchange);
        CREATE TABLE tags (
          exchange INTEGER NOT NULL REFERENCES exchanges (seq),
          name TEXT NOT NULL,
          value TEXT,
          PRIMARY KEY (exchange, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE filters (
          name TEXT PRIMARY KEY,
          text TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER exchanges_deleted AFTER DELETE ON exchanges BEGIN
          DELETE FROM notes WHERE exchange = old.seq;
          DELETE FROM tags WHERE exchange = old.seq;
        END;
        \(movedNotes)
        DROP VIEW traffic;
        \(traffic(tags: mergedTags, more: joinedNotes))
        DROP VIEW messages;
        \(messages(more: eventColumns))
        """

    private static let eventColumns =
        ", json_extract(m.value, '$.event') AS event, json_extract(m.value, '$.id') AS event_id"

    /// Moves notes from `extra`, where earlier versions kept those of imported exchanges.
    ///
    /// `json_extract` ends at a zero byte, so it is replaced. Content that is nested too deeply for
    /// SQLite stays as it is, as do notes that no version wrote: an error would keep the database
    /// at its version for ever.
    private static let movedNotes = """
        INSERT INTO notes (exchange, text, author, mark, at)
          SELECT e.seq, ifnull(json_extract(n.value, '$.text'), ''),
              ifnull(json_extract(n.value, '$.by'), ''),
              ifnull(json_extract(n.value, '$.mark'), ''),
              CAST(strftime('%s', json_extract(n.value, '$.at')) AS INTEGER) * 1000000
                + CAST(substr(json_extract(n.value, '$.at'), 21, 6) AS INTEGER)
            FROM exchanges e, json_each(CASE WHEN \(haveNotes)
                THEN replace(e.extra, '\\u0000', '\\ufffd') ELSE '{}' END, '$.notes') n
            WHERE instr(e.extra, '"notes":') > 0
            ORDER BY e.seq, n.key;
        UPDATE exchanges AS e SET extra = nullif(json_remove(e.extra, '$.notes'), '{}')
          WHERE \(haveNotes);
        """

    /// Whether `extra` has notes, all of which are objects.
    private static let haveNotes = """
        CASE WHEN ifnull(instr(e.extra, '"notes":'), 0) = 0 OR NOT json_valid(e.extra) THEN 0
            WHEN json_type(e.extra, '$.notes') IS NOT 'array' THEN 0
            ELSE NOT EXISTS (SELECT 1 FROM json_each(e.extra, '$.notes') o
              WHERE o.type <> 'object') END
        """

    /// The captured tags with the changes by people; a NULL removes a tag (RFC 7396).
    private static let mergedTags = """
        CASE WHEN EXISTS (SELECT 1 FROM tags t WHERE t.exchange = e.seq)
                THEN nullif(json_patch(ifnull(e.tags, '{}'), (SELECT json_group_object(t.name, t.value)
                  FROM tags t WHERE t.exchange = e.seq)), '{}')
              ELSE e.tags END
        """

    private static let joinedNotes = """
        ,
            (SELECT group_concat(n.mark, ' ') FROM notes n
              WHERE n.exchange = e.seq AND n.mark <> '') AS marks,
            (SELECT group_concat(n.text, char(10)) FROM notes n
              WHERE n.exchange = e.seq AND n.text <> '') AS notes
        """
}

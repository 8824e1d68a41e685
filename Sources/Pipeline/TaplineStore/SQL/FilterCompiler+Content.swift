// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

/// Comparisons with fields, tags, bodies and what is stored in `extra`.
///
/// A zero byte ends a string for SQLite's JSON functions, so rows with one are left to memory.
extension FilterCompiler {
    func content(_ comparison: FilterComparison) -> SQLExpression {
        switch comparison.field {
        case .tag: return tag(comparison)
        case .contentType: return contentType(comparison)
        case .requestHeader: return header(comparison, "request")
        case .responseHeader: return header(comparison, "response")
        case .requestCookie, .responseCookie: return cookie(comparison)
        case .responseVersion: return responseVersion(comparison)
        case .tlsVersion: return tlsVersion(comparison)
        case .bytesUp: return bytes(comparison, "up")
        case .bytesDown: return bytes(comparison, "down")
        case .requestBody: return body(comparison, "request")
        case .responseBody: return body(comparison, "response")
        case .requestJSON: return unless("e.request_body IS NULL")
        case .responseJSON: return unless("e.response_body IS NULL")
        case .json: return unless("e.request_body IS NULL AND e.response_body IS NULL")
        case .messageText: return messages(needle: nil)
        case .grpcService, .grpcMethod, .grpcStatus:
            // A value that is not UTF-8 is stored in base64.
            return unless(
                "e.fields NOT LIKE '%grpc%' AND e.fields NOT LIKE '%base64%' "
                    + "AND ifnull(e.extra, '') NOT LIKE '%grpc%'"
            )
        case .any: return anywhere(comparison)
        default: return .unknown
        }
    }
}

// MARK: - Fields and tags

extension FilterCompiler {
    /// Whether JSON has a text as it is within a string, without escapes.
    func isPlain(_ text: [UInt8]) -> Bool {
        // SQLite limits the patterns of LIKE to 50,000 bytes.
        !text.isEmpty && text.count <= 1000
            && text.allSatisfy { byte in
                switch byte {
                case .ascii("\""), .ascii("\\"), 0x7F: false
                default: byte >= 0x20
                }
            }
    }

    /// Whether JSON may also have a text between its strings; without quotation marks, a text with
    /// another character is within one.
    private func isSyntax(_ text: [UInt8]) -> Bool {
        text.allSatisfy { " ,:[]{}".utf8.contains($0) }
    }

    /// Compares the fields of a name; names are stored as received.
    private func header(_ comparison: FilterComparison, _ section: String) -> SQLExpression {
        let name = comparison.key.map(\.asciiLowercased)
        guard isPlain(name), name.allSatisfy({ $0 < 0x80 }) else { return .unknown }
        let pattern: [UInt8] = [.ascii("%")] + name + [.ascii("%")]
        guard let term = compare(comparison, "v", .plain) else {
            return unless("e.fields NOT LIKE ?", [.text(pattern)])
        }
        return .term(
            SQLTerm(
                """
                CASE WHEN e.fields NOT LIKE ? THEN 0 \
                WHEN tapline_contains(e.fields, '\\u0000') THEN NULL \
                WHEN NOT json_valid(e.fields) THEN NULL \
                ELSE (SELECT CASE WHEN max(r) = 1 THEN 1 WHEN count(*) > count(r) THEN NULL \
                ELSE 0 END FROM (SELECT CASE WHEN t = 'text' THEN \(term.sql) END AS r \
                FROM (SELECT json_type(f.value, '$[1]') AS t, json_extract(f.value, '$[1]') AS v \
                FROM json_each(e.fields, '$.\(section)') f \
                WHERE lower(json_extract(f.value, '$[0]')) = ?))) END
                """,
                [.text(pattern)] + term.values + [.text(name)],
                isExact: false
            )
        )
    }

    /// Excludes rows in which no field has the text of a media type.
    private func contentType(_ comparison: FilterComparison) -> SQLExpression {
        let hasNone = "e.status IS NULL"
        guard [.equal, .contains].contains(comparison.comparison),
            case .text(let type)? = comparison.values.first, isPlain(type),
            type.allSatisfy({ $0 < 0x80 })
        else { return unless(hasNone) }
        let pattern = SQLValue.text([.ascii("%")] + type + [.ascii("%")])
        return unless(
            """
            \(hasNone) OR (e.fields NOT LIKE ? AND NOT tapline_contains(e.fields, '"base64"') \
            AND (e.extra IS NULL OR e.extra NOT LIKE ? \
            AND NOT tapline_contains(e.extra, '"base64"')))
            """,
            [pattern, pattern]
        )
    }

    /// Excludes rows without the name of a cookie.
    private func cookie(_ comparison: FilterComparison) -> SQLExpression {
        let isRaw = "NOT tapline_contains(e.fields, '\"base64\"')"
        guard isPlain(comparison.key) else { return unless("e.fields NOT LIKE '%cookie%'") }
        return unless(
            "e.fields NOT LIKE '%cookie%' OR (NOT tapline_contains(e.fields, ?) AND \(isRaw))",
            [.text(comparison.key)]
        )
    }
}

// MARK: - Less common parts

extension FilterCompiler {
    private func responseVersion(_ comparison: FilterComparison) -> SQLExpression {
        guard let term = compare(comparison, "e.version", .bytes) else {
            return unless("e.status IS NULL")
        }
        return .term(
            SQLTerm(
                """
                CASE WHEN e.status IS NULL THEN 0 \
                WHEN e.extra IS NOT NULL AND NOT json_valid(e.extra) THEN NULL \
                WHEN e.extra IS NOT NULL AND json_type(e.extra, '$.response.version') IS NOT NULL \
                THEN NULL ELSE e.version <> '' AND (\(term.sql)) END
                """,
                term.values,
                isExact: false
            )
        )
    }

    private func tlsVersion(_ comparison: FilterComparison) -> SQLExpression {
        let version = "json_extract(e.extra, '$.tls.version')"
        guard let term = compare(comparison, version, .plain) else {
            return unless("e.extra IS NULL")
        }
        return .term(
            SQLTerm(
                """
                CASE WHEN e.extra IS NULL THEN 0 \
                WHEN tapline_contains(e.extra, '\\u0000') OR NOT json_valid(e.extra) THEN NULL \
                WHEN \(version) IS NULL THEN 0 ELSE \(term.sql) END
                """,
                term.values,
                isExact: false
            )
        )
    }

    private func bytes(_ comparison: FilterComparison, _ direction: String) -> SQLExpression {
        let parts = ["line", "headers", "body"].map {
            "json_extract(e.extra, '$.bytes.\(direction).\($0)')"
        }
        let sum = "(\(parts.joined(separator: " + ")))"
        guard let term = compare(comparison, number: sum) else {
            return unless("e.extra IS NULL")
        }
        // A sum that overflows is a floating-point number.
        return .term(
            SQLTerm(
                """
                CASE WHEN e.extra IS NULL OR NOT tapline_contains(e.extra, '"bytes":') THEN 0 \
                WHEN NOT json_valid(e.extra) THEN NULL \
                WHEN typeof\(sum) = 'real' THEN NULL ELSE \(term.sql) END
                """,
                term.values,
                isExact: false
            )
        )
    }

    /// Excludes rows without messages, and those whose messages surely do not contain a text.
    private func messages(needle: [UInt8]?) -> SQLExpression {
        let none = "e.extra IS NULL OR NOT tapline_contains(e.extra, '\"messages\":')"
        guard let needle, isPlain(needle) else { return unless(none) }
        return unless(
            """
            \(none) OR (NOT tapline_contains(e.extra, '"base64"') \
            AND NOT tapline_contains(e.extra, ?))
            """,
            [.text(needle)]
        )
    }
}

// MARK: - Bodies

extension FilterCompiler {
    /// Compares bodies that are neither coded nor compressed nor in files.
    func body(_ comparison: FilterComparison, _ part: String) -> SQLExpression {
        let column = "e.\(part)_body"
        if comparison.comparison == .exists {
            return .term(
                SQLTerm("\(column) IS NOT NULL OR coalesce(e.\(part)_size, 0) > 0")
            )
        }
        guard let inRow = compare(comparison, column, .bytes),
            let stored = compare(comparison, "content", .bytes)
        else { return unless("\(column) IS NULL") }
        return .term(
            SQLTerm(
                """
                CASE WHEN \(column) IS NULL THEN 0 \
                WHEN tapline_contains(e.extra, '"coding"') THEN NULL \
                WHEN typeof(\(column)) = 'integer' THEN (SELECT CASE WHEN typeof(content) = 'text' \
                OR length(content) = size THEN \(stored.sql) END FROM bodies WHERE id = \(column)) \
                ELSE \(inRow.sql) END
                """,
                stored.values + inRow.values,
                isExact: false
            )
        )
    }

    /// Searches the URL, fields, bodies and messages.
    private func anywhere(_ comparison: FilterComparison) -> SQLExpression {
        guard case .text(let needle)? = comparison.values.first else { return .unknown }
        if needle.isEmpty { return .constant(true) }
        return .or([
            url(comparison), fields(contain: needle), body(comparison, "request"),
            body(comparison, "response"), messages(needle: needle),
        ])
    }

    /// Searches the names and values of all fields in their JSON.
    private func fields(contain needle: [UInt8]) -> SQLExpression {
        guard isPlain(needle) else { return .unknown }
        let text = String(decoding: needle, as: UTF8.self)
        let isOfKey =
            isSyntax(needle)
            || ["request", "response", "request_trailers", "response_trailers", "base64"]
                .contains { $0.contains(text) }
        // A text may also be found in a key, in syntax, in base64 or in an escape; then only memory
        // decides.
        return .term(
            SQLTerm(
                """
                CASE WHEN e.fields IS NULL THEN 0 \
                WHEN tapline_contains(e.fields, '"base64"') THEN NULL \
                WHEN NOT tapline_contains(e.fields, ?) THEN 0 \
                WHEN tapline_contains(e.fields, char(92)) THEN NULL \
                ELSE \(isOfKey ? "NULL" : "1") END
                """,
                [.text(needle)],
                isExact: false
            )
        )
    }
}

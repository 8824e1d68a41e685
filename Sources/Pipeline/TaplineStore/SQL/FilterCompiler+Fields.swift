// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

extension FilterCompiler {
    /// Compiles a comparison.
    func expression(for comparison: FilterComparison) -> SQLExpression {
        if comparison.comparison == .never { return .constant(false) }
        switch comparison.field {
        case .env: return .constant(comparison.holds(for: comparison.key))
        case .id: return id(comparison)
        case .state, .statusClass: return closed(comparison)
        case .source: return text(comparison, "e.source", .text)
        case .method: return text(comparison, "e.method", .bytes)
        case .requestVersion: return text(comparison, "e.version", .bytes)
        case .client: return text(comparison, "e.client", .text, isOptional: true)
        case .server: return text(comparison, "e.server", .text, isOptional: true)
        case .error: return text(comparison, "e.error_code", .text, isOptional: true)
        case .correlation: return text(comparison, "e.correlation", .text, isOptional: true)
        case .scheme, .host, .port: return host(comparison)
        case .url: return url(comparison)
        case .path: return path(comparison)
        case .route: return route(comparison)
        case .query:
            // Names may be percent-encoded, so only a target without a query decides.
            return unless("instr(CAST(e.target AS BLOB), x'3F') = 0")
        case .status: return status(comparison)
        case .duration: return number(comparison, "e.total_us")
        case .started: return number(comparison, "e.started")
        case .requestSize: return number(comparison, "e.request_size")
        case .responseSize: return number(comparison, "e.response_size")
        case .note: return note(comparison, "n.text")
        case .mark: return note(comparison, "n.mark")
        default: return content(comparison)
        }
    }

    /// An undecided expression, except that nothing matches where a condition holds.
    func unless(_ condition: String, _ values: [SQLValue] = []) -> SQLExpression {
        var term = SQLTerm("CASE WHEN \(condition) THEN 0 END", values, isExact: false)
        term.mayHold = false
        return .term(term)
    }

    /// Compares a column of text; empty text counts as absent, as does NULL if it is optional.
    private func text(
        _ comparison: FilterComparison,
        _ column: String,
        _ storage: TextStorage,
        isOptional: Bool = false
    ) -> SQLExpression {
        let presence = isOptional ? "\(column) IS NOT NULL" : "\(column) <> ''"
        guard let term = compare(comparison, column, storage) else {
            return unless("NOT (\(presence))")
        }
        // The order matters: where a column is NULL or empty, the result must be 0.
        return .term(
            SQLTerm("\(presence) AND (\(term.sql))", term.values, isExact: term.isExact)
        )
    }

    private func number(_ comparison: FilterComparison, _ column: String) -> SQLExpression {
        compare(comparison, number: column).map { .term($0) } ?? unless("\(column) IS NULL")
    }

    private func status(_ comparison: FilterComparison) -> SQLExpression {
        let isKnown = "e.status IS NOT NULL AND e.status <> 0"
        guard let term = compare(comparison, number: "e.status") else {
            return unless("NOT (\(isKnown))")
        }
        return .term(SQLTerm("\(isKnown) AND (\(term.sql))", term.values, isExact: term.isExact))
    }

    private func id(_ comparison: FilterComparison) -> SQLExpression {
        if comparison.comparison == .exists { return .constant(true) }
        let equals: [FilterOperator] = [.equal, .notEqual, .isIn]
        guard equals.contains(comparison.comparison) else {
            let text = """
                lower(printf('%s-%s-%s-%s-%s', substr(hex(e.id), 1, 8), substr(hex(e.id), 9, 4), \
                substr(hex(e.id), 13, 4), substr(hex(e.id), 17, 4), substr(hex(e.id), 21)))
                """
            return compare(comparison, text, .plain).map { .term($0) } ?? .unknown
        }
        var ids: [SQLValue] = []
        for case .text(let bytes) in comparison.values {
            // A text that does not have the form of an id equals none.
            guard let id = ExchangeID(bytes.span), Array(id.description.utf8) == bytes else {
                continue
            }
            ids.append(.blob(id.bytes))
        }
        let marks = ids.map { _ in "?" }.joined(separator: ", ")
        let isOneOf: SQLExpression =
            ids.isEmpty ? .constant(false) : .term(SQLTerm("e.id IN (\(marks))", ids))
        return comparison.comparison == .notEqual ? isOneOf.negated : isOneOf
    }

    /// Evaluates a comparison for each of the few values that a field can have.
    private func closed(_ comparison: FilterComparison) -> SQLExpression {
        let names = (comparison.field.closedSet ?? []).filter {
            comparison.holds(for: Array($0.utf8))
        }
        guard comparison.field == .state else {
            let classes = names.map { String($0.prefix(1)) }.joined(separator: ", ")
            return .term(
                SQLTerm(
                    "e.status IS NOT NULL AND e.status BETWEEN 100 AND 599 "
                        + "AND e.status / 100 IN (\(classes))"
                )
            )
        }
        guard !names.isEmpty else { return .constant(false) }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        // The index covers only the states other than this one.
        let hint = names.contains("completed") ? "" : "e.state <> 'completed' AND "
        return .term(SQLTerm("\(hint)e.state IN (\(list))"))
    }
}

// MARK: - Where requests go

extension FilterCompiler {
    /// Compares with columns of `hosts`.
    private func hostTerm(_ comparison: FilterComparison) -> SQLTerm? {
        switch comparison.field {
        case .port:
            return compare(comparison, number: "port")
        case .host:
            guard var term = compare(comparison, "host", .bytes) else { return nil }
            term.sql = "host <> '' AND (\(term.sql))"
            return term
        default:
            guard var term = compare(comparison, "lower(scheme)", .plain) else { return nil }
            // SQLite folds the case of text only.
            term.sql =
                "CASE WHEN typeof(scheme) = 'text' THEN scheme <> '' AND (\(term.sql)) END"
            term.isExact = false
            return term
        }
    }

    private func host(_ comparison: FilterComparison) -> SQLExpression {
        guard let term = hostTerm(comparison) else { return .unknown }
        let selection =
            term.isExact
            ? "e.host IN (SELECT id FROM hosts WHERE \(term.sql))"
            : "(SELECT \(term.sql) FROM hosts WHERE id = e.host)"
        return .term(SQLTerm(selection, term.values, isExact: term.isExact))
    }

    /// Compares URLs of origin-form targets; the forms of others are left to memory.
    func url(_ comparison: FilterComparison) -> SQLExpression {
        if comparison.comparison == .contains, case .text(let text)? = comparison.values.first,
            isPlain(text), !text.contains(.ascii("/"))
        {
            return url(contains: text)
        }
        let url = "h.scheme || '://' || h.authority || e.target"
        guard let term = compare(comparison, "(\(url))", .plain) else { return .unknown }
        return .term(
            SQLTerm(
                """
                (SELECT CASE WHEN typeof(h.scheme) = 'text' AND h.scheme <> '' \
                AND typeof(h.authority) = 'text' AND typeof(e.target) = 'text' \
                AND substr(e.target, 1, 1) = '/' AND e.method <> 'CONNECT' \
                THEN \(term.sql) END FROM hosts h WHERE h.id = e.host)
                """,
                term.values,
                isExact: false
            )
        )
    }

    /// Searches the URL; a text without a slash is in the target, or in what precedes it.
    private func url(contains text: [UInt8]) -> SQLExpression {
        let isUsual = "typeof(scheme) = 'text' AND scheme <> '' AND typeof(authority) = 'text'"
        return .term(
            SQLTerm(
                """
                CASE WHEN typeof(e.target) <> 'text' OR substr(e.target, 1, 1) <> '/' \
                OR e.method = 'CONNECT' THEN NULL \
                WHEN tapline_contains(e.target, ?) THEN 1 \
                WHEN e.host IN (SELECT id FROM hosts WHERE \(isUsual) \
                AND NOT tapline_contains(scheme || '://' || authority, ?)) THEN 0 \
                WHEN e.host IN (SELECT id FROM hosts WHERE \(isUsual)) THEN 1 END
                """,
                [.text(text), .text(text)],
                isExact: false
            )
        )
    }

    /// Compares paths of origin-form targets; the template narrows an equal path down by index.
    private func path(_ comparison: FilterComparison) -> SQLExpression {
        let path = "substr(e.target, 1, instr(e.target || char(63), char(63)) - 1)"
        guard let term = compare(comparison, path, .plain) else { return .unknown }
        let exact = SQLExpression.term(
            SQLTerm(
                """
                CASE WHEN typeof(e.target) = 'text' AND substr(e.target, 1, 1) = '/' \
                AND instr(e.target, '#') = 0 THEN \(term.sql) END
                """,
                term.values,
                isExact: false
            )
        )
        guard comparison.comparison == .equal, schema >= 2,
            case .text(let wanted)? = comparison.values.first, !wanted.contains(.ascii("*"))
        else { return exact }
        var template: [UInt8] = []
        PathTemplate.make(wanted.span, into: &template)
        let candidates = SQLTerm(
            "e.path IN (SELECT id FROM paths WHERE template IN (?, '**'))",
            [TextStorage.bytes.value(template)]
        )
        return .and([.term(candidates), exact])
    }

    /// Compares path templates; `**` also replaces those beyond the sink's limit.
    private func route(_ comparison: FilterComparison) -> SQLExpression {
        guard schema >= 2, let term = compare(comparison, "template", .bytes) else {
            return .unknown
        }
        let condition = "template <> '' AND (\(term.sql))"
        let decided = SQLExpression.term(
            SQLTerm(
                "(SELECT CASE WHEN template <> '**' THEN \(condition) END FROM paths "
                    + "WHERE id = e.path)",
                term.values,
                isExact: false
            )
        )
        guard term.isExact else { return decided }
        let candidates = SQLTerm(
            "e.path IN (SELECT id FROM paths WHERE template = '**' OR \(condition))",
            term.values
        )
        return .and([.term(candidates), decided])
    }
}

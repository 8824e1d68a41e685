// SPDX-License-Identifier: MIT

internal import TaplineQuery

/// Comparisons with what people wrote: notes and marks, and tags, which replace captured ones.
extension FilterCompiler {
    /// Compares a column of the notes of an exchange, one of which is enough.
    func note(_ comparison: FilterComparison, _ column: String) -> SQLExpression {
        guard schema >= Annotations.schema else {
            return unless(
                "e.extra IS NULL OR NOT tapline_contains(e.extra, '\"notes\":')"
            )
        }
        let candidates = "e.seq IN (SELECT n.exchange FROM notes n WHERE \(column) <> ''"
        guard let term = compare(comparison, column, .text), term.isExact else {
            return .and([.term(SQLTerm("\(candidates))")), .unknown])
        }
        return .term(SQLTerm("\(candidates) AND (\(term.sql)))", term.values))
    }

    /// Compares a tag.
    func tag(_ comparison: FilterComparison) -> SQLExpression {
        let captured = capturedTag(comparison)
        guard schema >= Annotations.schema else { return captured }
        let row = "EXISTS (SELECT 1 FROM tags p WHERE p.exchange = e.seq AND p.name = ?"
        let name = SQLValue.text(comparison.key)
        let isChanged = SQLExpression.term(SQLTerm("\(row))", [name]))
        let isPresent = SQLTerm("\(row) AND p.value IS NOT NULL)", [name])
        let changed: SQLExpression =
            if let term = compare(comparison, "p.value", .text), term.isExact {
                .term(
                    SQLTerm(
                        "\(row) AND p.value IS NOT NULL AND (\(term.sql)))",
                        [name] + term.values
                    )
                )
            } else {
                .and([.term(isPresent), .unknown])
            }
        return .or([changed, .and([isChanged.negated, captured])])
    }

    /// Compares a tag that a stage set; names and values are always text.
    private func capturedTag(_ comparison: FilterComparison) -> SQLExpression {
        guard let term = compare(comparison, "t.value", .plain), term.isExact else {
            return unless("e.tags IS NULL")
        }
        return .term(
            SQLTerm(
                """
                CASE WHEN e.tags IS NULL THEN 0 \
                WHEN tapline_contains(e.tags, '\\u0000') OR NOT json_valid(e.tags) THEN NULL \
                ELSE coalesce((SELECT \(term.sql) FROM json_each(e.tags) t WHERE t.key = ? \
                LIMIT 1), 0) END
                """,
                term.values + [.text(comparison.key)],
                isExact: false
            )
        )
    }
}

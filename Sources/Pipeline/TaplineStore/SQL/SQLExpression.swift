// SPDX-License-Identifier: MIT

/// A condition of SQL in which NULL means that only memory can decide.
///
/// The logic of SQL has three values, so `AND`, `OR` and `NOT` combine undecided parts correctly:
/// `NULL AND 0` is 0, `NULL OR 1` is 1. A part that is absent in a row is therefore never NULL but
/// 0, since a comparison with it does not hold.
indirect enum SQLExpression: Sendable {
    case constant(Bool)
    /// NULL in every row.
    case unknown
    case term(SQLTerm)
    case all([SQLExpression])
    case any([SQLExpression])

    /// An expression that holds if all hold.
    static func and(_ parts: [SQLExpression]) -> SQLExpression {
        var kept: [SQLExpression] = []
        for part in parts {
            switch part {
            case .constant(true): continue
            case .constant(false): return part
            case .all(let nested): kept += nested
            default: kept.append(part)
            }
        }
        return kept.isEmpty ? .constant(true) : kept.count == 1 ? kept[0] : .all(kept)
    }

    /// An expression that holds if one holds.
    static func or(_ parts: [SQLExpression]) -> SQLExpression {
        var kept: [SQLExpression] = []
        for part in parts {
            switch part {
            case .constant(false): continue
            case .constant(true): return part
            case .any(let nested): kept += nested
            default: kept.append(part)
            }
        }
        return kept.isEmpty ? .constant(false) : kept.count == 1 ? kept[0] : .any(kept)
    }

    /// The opposite; NULL stays NULL.
    var negated: SQLExpression {
        switch self {
        case .constant(let value): return .constant(!value)
        case .unknown: return .unknown
        case .term(var term):
            term.isNegated.toggle()
            return .term(term)
        case .all(let parts): return .or(parts.map(\.negated))
        case .any(let parts): return .and(parts.map(\.negated))
        }
    }

    /// Whether it is never NULL.
    var isExact: Bool {
        switch self {
        case .constant: true
        case .unknown: false
        case .term(let term): term.isExact
        case .all(let parts), .any(let parts): parts.allSatisfy(\.isExact)
        }
    }
}

extension SQLExpression {
    /// The same with values that explanations hide.
    var hiding: SQLExpression {
        switch self {
        case .constant, .unknown: return self
        case .term(var term):
            term.isSecret = true
            return .term(term)
        case .all(let parts): return .all(parts.map(\.hiding))
        case .any(let parts): return .any(parts.map(\.hiding))
        }
    }

    /// Whether it may be 1 in some row.
    var mayHold: Bool {
        switch self {
        case .constant(let value): value
        case .unknown: false
        case .term(let term): term.mayHold || term.isNegated
        case .all(let parts): parts.allSatisfy(\.mayHold)
        case .any(let parts): parts.contains(where: \.mayHold)
        }
    }
}

/// SQL with a question mark for each value.
struct SQLTerm: Sendable {
    var sql: String
    var values: [SQLValue]
    /// Whether it is never NULL.
    var isExact: Bool
    var isNegated = false
    /// Whether it may be 1 if it is not negated.
    var mayHold = true
    /// Whether its values may be secrets, which explanations hide.
    var isSecret = false

    init(_ sql: String, _ values: [SQLValue] = [], isExact: Bool = true) {
        self.sql = sql
        self.values = values
        self.isExact = isExact
    }
}

/// Writes expressions with numbered parameters, within the limits of SQLite.
///
/// **Source**: https://sqlite.org/limits.html; the depth of SQLite's parser stack is 100.
struct SQLRenderer {
    private static let maxBytes = 300_000
    private static let maxValues = 30_000
    /// How much of the parser's stack `AND` and `OR` may take; terms take the rest.
    private static let maxStack = 50

    /// How much of it an expression may take.
    private let available: Int

    private(set) var values: [SQLValue] = []
    /// The positions of values that may be secrets.
    private(set) var hidden: Set<Int> = []
    private var bytes = 0

    /// Creates a renderer of some expressions that `conjunction` joins.
    init(expressions: Int) {
        // Each level of the tree takes three entries on its right side.
        let levels = Int.bitWidth - max(0, expressions - 1).leadingZeroBitCount
        available = SQLRenderer.maxStack - 3 * levels
    }

    /// Writes an expression; `nil` if it is too large.
    mutating func text(of expression: SQLExpression) -> String? {
        let saved = self
        if let (text, stack) = render(expression), stack <= available { return text }
        self = saved
        return nil
    }

    /// Joins texts by `AND` as a balanced tree: SQLite limits the depth of expressions.
    static func conjunction(_ texts: [String]) -> String {
        texts.isEmpty ? "1" : join(texts.map { (text: $0, stack: 0) }[...], "AND").text
    }

    private mutating func render(_ expression: SQLExpression) -> (text: String, stack: Int)? {
        switch expression {
        case .constant(let value): return (value ? "1" : "0", 0)
        case .unknown: return ("NULL", 0)
        case .term(let term):
            guard let text = render(term) else { return nil }
            return (text, 0)
        case .all(let parts): return render(parts, "AND")
        case .any(let parts): return render(parts, "OR")
        }
    }

    private mutating func render(
        _ parts: [SQLExpression],
        _ word: String
    ) -> (text: String, stack: Int)? {
        var texts: [(text: String, stack: Int)] = []
        for part in parts {
            guard let text = render(part) else { return nil }
            texts.append(text)
        }
        return SQLRenderer.join(texts[...], word)
    }

    private mutating func render(_ term: SQLTerm) -> String? {
        bytes += term.sql.utf8.count + 6 * term.values.count + 8
        guard bytes <= SQLRenderer.maxBytes,
            values.count + term.values.count <= SQLRenderer.maxValues
        else { return nil }
        // NOT binds less than the operators that may follow.
        var text = term.isNegated ? "(NOT (" : "("
        var next = term.values.startIndex
        // The pieces are ours: a question mark is always a parameter.
        for (position, piece) in term.sql.split(
            separator: "?",
            omittingEmptySubsequences: false
        ).enumerated() {
            if position > 0 {
                guard next < term.values.endIndex else { return nil }
                if term.isSecret { hidden.insert(values.count) }
                values.append(term.values[next])
                next += 1
                text += "?\(values.count)"
            }
            text += piece
        }
        return text + (term.isNegated ? "))" : ")")
    }

    private static func join(
        _ texts: ArraySlice<(text: String, stack: Int)>,
        _ word: String
    ) -> (text: String, stack: Int) {
        if texts.count == 1, let only = texts.first { return only }
        let middle = texts.startIndex + texts.count / 2
        let left = join(texts[..<middle], word)
        let right = join(texts[middle...], word)
        return (
            "(\(left.text) \(word) \(right.text))",
            max(left.stack + 1, right.stack + 3)
        )
    }
}

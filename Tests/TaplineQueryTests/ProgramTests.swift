// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TestSupport
import Testing

/// Tests the meaning of operators, and random filters.
///
/// Filters of random tokens must never trap. Valid random filters must give the same result as a
/// simple evaluation of their tree.
@Suite struct ProgramTests {
    @Test(arguments: [
        ("status > 500", true), ("status > 503", false), ("status >= 503", true),
        ("status < 504", true), ("status < 503", false), ("status <= 503", true),
        ("status != 503", false), ("status != 404", true), ("status in [404, 503]", true),
        ("status in [404]", false), ("status == 503.0", true), ("status > 502.5", true),
        ("status > -1", true), ("status < 1e3", true), ("status == 5.03e2", true),
        (#"method in ["PUT", "POST"]"#, true), (#"method in ["post"]"#, false),
        (#"method == "post""#, false), (#"method < "PUT""#, true), (#"method > "PUT""#, false),
        (#"method <= "POST""#, true), (#"method >= "POSTS""#, false),
        (#"host like "*.shop.test""#, true), (#"host like "*.SHOP.test""#, true),
        (#"host like "shop.test""#, false), (#"host contains "SHOP""#, true),
        (#"host ~ "^api\\.shop""#, true), (#"host in ["API.shop.TEST"]"#, true),
        (#"host >= "API.shop.test" and host <= "API.shop.test""#, true),
        (#"path like "/*s""#, true), (#"path like "/CART*""#, false), (#"path ~ "^/cart""#, true),
        (#"path ~ "cart$""#, false), (#"path contains "t/i""#, true),
        (#"path contains """#, true), (#"path contains "t/x""#, false),
        (#"request.header["x-tag"] != "one""#, true),
        (#"request.header["x-tag"] in ["two"]"#, true),
        (#"request.header["x-empty"] exists"#, true), (#"request.header["x-empty"] == """#, true),
        (#"query["x"] ~ "two words""#, true), (#"query["X"] exists"#, false),
        (#"state in ["failed", "cancelled"]"#, true), ("duration > 1m", false),
        ("duration < 1h", true), ("duration > 0", true), ("duration >= 250000us", true),
        ("duration >= 250001µs", false), ("request.size < 1KiB", true), ("bytes.up > 5", true),
    ])
    func operators(text: String, expected: Bool) {
        #expect(evaluate(text) == expected)
    }

    private static let pieces = [
        "status", "host", "query", "request.header", "env", "duration", "started", "body", "(", ")",
        "[", "]", ",", "==", "!=", "<", "<=", ">", ">=", "in", "like", "~", "contains", "exists",
        "and", "or", "not", "\"a\"", "\"*.b\"", "\"\\u00e9\"", "\"\\ud83d\\ude00\"", "\"(\"", "1",
        "-2.5e3", "10ms", "5MiB", "9e999", "\"", "\\", "'", "é", "\u{0}", " ", "\n", "=", "&&",
        "[\"x\"]",
        "\"2026-11-20T14:03:00Z\"", "99999999999999999999",
    ]

    private static let comparisons = [
        "status == 5", "host like \"*.b\"", "query[\"x\"] exists", "and", "or", "not", "(", ")",
    ]

    @Test func noTextTraps() {
        var random = Random(seed: 7)
        let exchange = Samples.full()
        let bare = Samples.bare()
        var accepted = 0
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<random.below(14) {
                let pieces = random.below(2) == 0 ? Self.comparisons : Self.pieces
                text += pieces[random.below(pieces.count)]
                if random.below(3) > 0 { text += " " }
            }
            do throws(FilterError) {
                let filter = try Filter(text, environment: ["x": "1"])
                accepted += 1
                _ = filter.matches(exchange)
                _ = filter.matches(bare)
            } catch {
                #expect(error.offset >= 0)
                #expect(error.offset + error.length <= text.utf8.count, "\(text)")
            }
        }
        #expect(accepted > 20)
    }

    @Test func randomTreesMatchTheirPlainEvaluation() throws {
        var random = Random(seed: 11)
        for _ in 0..<2000 {
            let tree = Tree.random(&random, depth: 6)
            let filter = try Filter(tree.text)
            for status in [200, 404, 500] {
                var exchange = Samples.bare()
                exchange.response = Response(status: status)
                #expect(filter.matches(exchange) == tree.holds(status), "\(tree.text)")
            }
        }
    }
}

/// A filter as a tree, with a simple evaluation.
private indirect enum Tree {
    case status(Int)
    case not(Tree)
    case and(Tree, Tree)
    case or(Tree, Tree)

    static func random(_ random: inout Random, depth: Int) -> Tree {
        switch depth == 0 ? 0 : random.below(4) {
        case 1: .not(.random(&random, depth: depth - 1))
        case 2: .and(.random(&random, depth: depth - 1), .random(&random, depth: depth - 1))
        case 3: .or(.random(&random, depth: depth - 1), .random(&random, depth: depth - 1))
        default: .status([200, 404, 500][random.below(3)])
        }
    }

    /// The text of the tree, with parentheses only if the precedence requires them.
    var text: String {
        switch self {
        case .status(let status): "status == \(status)"
        case .not(let child): "not \(child.atom)"
        case .and(let left, let right): "\(left.factor) and \(right.factor)"
        case .or(let left, let right): "\(left.text) or \(right.text)"
        }
    }

    private var factor: String { if case .or = self { "(\(text))" } else { text } }

    private var atom: String {
        switch self {
        case .status, .not: text
        case .and, .or: "(\(text))"
        }
    }

    func holds(_ value: Int) -> Bool {
        switch self {
        case .status(let status): status == value
        case .not(let child): !child.holds(value)
        case .and(let left, let right): left.holds(value) && right.holds(value)
        case .or(let left, let right): left.holds(value) || right.holds(value)
        }
    }
}

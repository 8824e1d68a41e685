// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TestSupport
import Testing

@testable import SQLiteSink
@testable import TaplineStore

@Suite("Filters with a full-text index")
struct TextIndexAgreementTests {
    /// Filters of each kind of index.
    private static let count = Rounds.count(100, long: 20_000)

    /// Texts that occur in the exchanges, and such as do not.
    private struct Texts {
        private var known: [[UInt8]] = []

        init(_ exchanges: [Exchange]) {
            for exchange in exchanges {
                SearchedTexts.forEach(in: exchange) { text in
                    if !text.isEmpty { known.append(Array(copying: text)) }
                }
            }
        }

        /// A part of a text, as a string of the filter language.
        func pick(_ random: inout Random) -> String {
            let text = random.pick(known)
            let start = random.below(text.count)
            let length = random.pick([1, 2, 3, 4, 5, 8, 20, 200])
            var part = String(decoding: text[start...].prefix(length), as: UTF8.self)
            if random.below(5) == 0 { part += random.pick(["x", " ", "q9", "é"]) }
            var literal = ""
            for scalar in part.unicodeScalars {
                switch scalar {
                case "\"", "\\": literal += "\\\(scalar)"
                case "\u{0}"..."\u{1F}":
                    literal += scalar.value < 16 ? "\\u000" : "\\u00"
                    literal += String(scalar.value, radix: 16)
                default: literal.unicodeScalars.append(scalar)
                }
            }
            return "\"\(literal)\""
        }

        func filter(_ random: inout Random, depth: Int) -> String {
            func part(_ random: inout Random) -> String {
                "(\(filter(&random, depth: depth - 1)))"
            }
            switch depth == 0 ? 9 : random.below(10) {
            case 0: return "\(part(&random)) or \(part(&random))"
            case 1: return "\(part(&random)) and \(part(&random))"
            case 2: return "\(part(&random)) and not \(part(&random))"
            case 3: return "\(part(&random)) and (\(RandomFilter.make(&random, depth: 1)))"
            case 4: return "\(part(&random)) or (\(RandomFilter.make(&random, depth: 1)))"
            default: break
            }
            let field = random.pick([
                "any", "any", "any", "url", "request.body", "response.body", "message.text",
                #"request.header["x-a"]"#, #"response.header["X-B"]"#, #"request.cookie["a"]"#,
            ])
            if field == "any" { return "any contains \(pick(&random))" }
            switch random.below(5) {
            case 0: return "\(field) == \(pick(&random))"
            case 1: return "\(field) in [\(pick(&random)), \(pick(&random))]"
            case 2:
                let pattern = "\"*\(pick(&random).dropFirst().dropLast())*\""
                return "\(field) like \(pattern)"
            default: return "\(field) contains \(pick(&random))"
            }
        }
    }

    @Test("mean the same as without one", arguments: TextIndexKind.allCases)
    func agreement(kind: TextIndexKind) throws {
        let folder = try TemporaryFolder()
        let path = folder("traffic.db")
        var random = Random(seed: kind.number)
        let exchanges = try (0..<300).map { try RandomExchange.make($0, &random) }
        try Written.database(Array(exchanges.prefix(200)), at: path) {
            $0.compress = true
            $0.inlineBodyMax = 10_000
        }
        try TextIndex.build(path, kind, progress: QueryProgress())
        try Written.database(Array(exchanges.suffix(100)), at: path)
        if random.below(2) == 0 { try TextIndex.build(path, nil, progress: QueryProgress()) }
        let store = try Store(path)
        guard case .database(let database) = store.content else { return }
        let texts = Texts(exchanges)
        var (used, candidates) = (0, 0)
        for _ in 0..<Self.count {
            let text = texts.filter(&random, depth: 2)
            let filter = try parse(text)
            let expected = exchanges.indices.filter { filter.matches(exchanges[$0]) }
            var found: [Int] = []
            try store.forEach(StoreQuery(filter, order: .oldestFirst, parts: [])) {
                found.append(Int($0.key.number) - 1)
            }
            let count = try store.count(filter)
            guard found == expected, count == expected.count else {
                let (lacks, has) = (Set(expected).subtracting(found), Set(found))
                Issue.record("\(text): lacks \(lacks), has \(has.subtracting(expected)), \(count)")
                return
            }
            let query = RowQuery(StoreQuery(filter), schema: database.reader.schema)
            if case .found(let matches, _) = try database.textLookup(query) {
                used += 1
                candidates += matches.numbers.count
            }
        }
        // The index is used, and excludes many rows; words exclude fewer.
        #expect(used > Self.count / 4)
        #expect(candidates * 3 < used * exchanges.count * (kind == .trigrams ? 1 : 2))
    }
}

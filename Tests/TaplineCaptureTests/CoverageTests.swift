// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The page that lists the features of other tools: it is complete, and each test that it names
/// exists.
@Suite struct CoverageTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private let rows: [[Substring]]

    init() throws {
        let file = Self.root.appendingPathComponent("Plugins/Sources/URLProtocol/Coverage.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        rows = page.split(separator: "\n").filter { $0.firstMatch(of: /^\| [SL]\d?-/) != nil }
            .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    }

    @Test(arguments: [("S0", 32), ("S1", 30), ("S2", 17), ("S3", 16), ("S4", 23), ("L", 18)])
    func eachFeatureHasARow(of tool: String, count: Int) {
        let found = rows.map { $0[1].trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasPrefix("\(tool)-") }
        #expect(found == (1...count).map { "\(tool)-\($0 < 10 ? "0" : "")\($0)" })
        #expect(rows.allSatisfy { $0.count == 6 })
    }

    @Test func eachTestIsThere() throws {
        let named = try #require(rows.count > 0 ? rows.map { $0[4] } : nil)
            .flatMap { $0.matches(of: /`(\w+)\.(\w+)`/).map(\.output) }
        #expect(named.count > 80)
        let tests = Self.root.appendingPathComponent("Tests")
        var sources: [String: String] = [:]
        for case let file as URL in FileManager.default.enumerator(
            at: tests,
            includingPropertiesForKeys: nil
        ) ?? .init() where file.pathExtension == "swift" && !file.path.contains("/.build/") {
            let suite = file.deletingPathExtension().lastPathComponent
            sources[suite, default: ""] += try String(contentsOf: file, encoding: .utf8)
        }
        for (name, suite, test) in named {
            let source = sources[String(suite)] ?? ""
            #expect(source.contains("func \(test)("), "\(name)")
        }
    }

    @Test func eachTestInABrowserIsThere() throws {
        let named = rows.flatMap { $0[4].matches(of: /`(\w+): (\w+)`/).map(\.output) }
        #expect(named.count > 20)
        for (name, file, test) in named {
            let script = Self.root.appendingPathComponent("Tests/Integration/inspector/\(file)")
            let module = script.appendingPathExtension("py")
            let source =
                try (try? String(contentsOf: module, encoding: .utf8))
                ?? String(contentsOf: script, encoding: .utf8)
            // `look` is not one of the tests in order.
            let isThere = source.contains("def test_\(test)(") || source.contains("def \(test)(")
            #expect(isThere, "\(name)")
        }
    }
}

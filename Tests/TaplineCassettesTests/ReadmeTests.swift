// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineCassettes
import Testing

/// The examples of the reference page, copied literally.
@Suite struct ReadmeTests {
    @Test(.recorded("login")) func signsIn() async throws {
        let name = try await ShopClient().login("ann")
        #expect(name == "Ann of the fixture")
    }

    @Test(
        .recorded(
            "cart",
            RecordedOptions(
                matching: Matching(
                    [.method, .path, .query, .body],
                    fields: ["Accept-Language"],
                    ignoringQueryItems: ["time"]
                ),
                isStrict: true
            )
        )
    )
    func aCartIsSent() async throws {
        var url = try #require(URLComponents(string: "http://other.test/cart"))
        url.queryItems = [URLQueryItem(name: "time", value: "\(Date.now.timeIntervalSince1970)")]
        var request = URLRequest(try #require(url.url), post: #"{"items":[7]}"#)
        request.setValue("de", forHTTPHeaderField: "Accept-Language")
        let session = try #require(Recording.current).session
        #expect(try await session.text(request) == "201 ordered")
    }

    /// The page shows only code that is run, and all options.
    @Test func thePageShowsWhatIsRunHere() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }
        let page = try text(
            root.appendingPathComponent("Sources/Products/TaplineCassettes/README.md")
        )
        let run = Set(
            try ["ReadmeTests", "XCTestCaseTests"].flatMap {
                try text(tests.appendingPathComponent("\($0).swift")).split(separator: "\n")
            }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        )
        let blocks = page.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 4)
        for block in blocks where !block.hasPrefix("// Package.swift") {
            let code = block.prefix(upTo: block.firstRange(of: "```")?.lowerBound ?? block.endIndex)
            for line in code.split(separator: "\n") {
                #expect(run.contains(line.trimmingCharacters(in: .whitespaces)))
            }
        }
        for child in Mirror(reflecting: RecordedOptions()).children {
            #expect(page.contains("\n| `\(try #require(child.label))` |"))
        }
        #expect(page.contains(RecordedMode.variable))
    }
}

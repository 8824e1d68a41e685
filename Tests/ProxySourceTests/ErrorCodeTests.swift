// SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite("Codes of errors")
struct ErrorCodeTests {
    /// Where codes of failed and cancelled exchanges are made: the plugin, and what it is told.
    private static let sources = [
        "Plugins/Sources/Proxy", "Sources/TaplineConnections", "Sources/TaplineNet/NetError.swift",
        "Sources/TaplineNet/TLS/TLSError.swift",
    ]

    @Test("are all on the reference page")
    func documented() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Plugins/Sources/Proxy/README.md"),
            encoding: .utf8
        )
        var codes: Set<Substring> = []
        for file in Self.sources.flatMap({ Self.files(at: root.appending(path: $0)) }) {
            let text = try String(contentsOf: file, encoding: .utf8)
            codes.formUnion(
                text.matches(of: /(?:\bcode: |\bname: |rawValue: )"([a-z0-9_]+)"/).map(\.1)
            )
        }
        #expect(codes.count > 25)
        // What is only met with listeners, or stands for 'client_closed' and 'stopped'.
        codes.subtract(["closed"])
        #expect(codes.filter { !page.contains("`\($0)`") } == [])
    }

    private static func files(at place: URL) -> [URL] {
        if place.pathExtension == "swift" { return [place] }
        let found = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
        return (found?.compactMap { $0 as? URL } ?? []).filter {
            // What has to do with trust knows other names.
            $0.pathExtension == "swift" && !$0.path.contains("/Trust/")
        }
    }
}

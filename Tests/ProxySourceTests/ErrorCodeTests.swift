// SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite("Error codes")
struct ErrorCodeTests {
    /// The sources that define codes of failed and cancelled exchanges: the plugin, and its
    /// dependencies.
    private static let sources = [
        "Plugins/Sources/Proxy", "Sources/Network/TaplineConnections",
        "Sources/Network/TaplineNet/NetError.swift",
        "Sources/Network/TaplineTLS/Sessions/TLSError.swift",
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
        // This code occurs only with listeners, or becomes 'client_closed' or 'stopped'.
        codes.subtract(["closed"])
        #expect(codes.filter { !page.contains("`\($0)`") } == [])
    }

    private static func files(at place: URL) -> [URL] {
        if place.pathExtension == "swift" { return [place] }
        let found = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
        return (found?.compactMap { $0 as? URL } ?? []).filter {
            // The code for trust stores has other names.
            $0.pathExtension == "swift" && !$0.path.contains("/Trust/")
        }
    }
}

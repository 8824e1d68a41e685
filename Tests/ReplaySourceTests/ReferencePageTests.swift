// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineFiles
import TaplineModel
import TaplinePlugin
import Testing

@testable import ReplaySource

@Suite("The reference page of replay")
struct ReferencePageTests {
    @Test("lists every option as it is declared, in order")
    func options() throws {
        let here = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let file = try File("/\(here)/Plugins/Sources/Replay/README.md", for: .read)
        var bytes: [UInt8] = []
        while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
        let expected = SourcePlugin.replay.description.options.keys.map { key in
            let type = key.typeName.split(separator: "|").joined(separator: "\\|")
            let fallback = key.isRequired ? "required" : key.defaultText.map { "`\($0)`" } ?? ""
            let cell = fallback.isEmpty ? " " : " \(fallback) "
            return "| `\(key.name)` | \(type) |\(cell)| \(key.summary) |"
        }
        #expect(rows.map(String.init) == expected)
    }
}

// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TestSupport
import Testing

/// Whatever one entry contains, the others are read.
@Suite struct HARMutationTests {
    /// Values in place of the expected ones.
    static let odd: [JSONTree] = [
        .null, .bool(true), .number("-1"), .number("1e400"), .number("99999999999999999999"),
        .number("0.5"), .string(""), .string("\u{0}\n\r;\u{FEFF}\""), .string("2026-99-99T99:99Z"),
        .string(String(repeating: "%", count: 300)), .array([]), .array([.array([.null])]),
        .object([]), .object([.init(key: "name", value: .object([]))]),
        (0..<200).reduce(.null) { tree, _ in .array([tree]) },
    ]

    private static func place(_ number: Int) -> JSONTree {
        .object([
            .init(
                key: "request",
                value: .object([
                    .init(key: "method", value: .string("GET")),
                    .init(key: "url", value: .string("http://h/other/\(number)")),
                ])
            )
        ])
    }

    private static func others(in file: String) -> ([String], end: Bool) {
        var found: [String] = []
        var reader = RecordingReader(file: "f")
        let bytes = Array(file.utf8)
        func receive(_ element: RecordingReader.Element) {
            guard case .success(let exchange) = element else { return }
            let target = "\(exchange.request.target)"
            if target.hasPrefix("/other/") { found.append(target) }
            // Every exchange that was read can be written.
            guard let record = seal(exchange) else { return }
            var writer = HARWriter()
            writer.begin(version: "1")
            writer.write(record)
            writer.end()
            var lines = NDJSONWriter()
            lines.write(record)
            #expect((try? JSONTree(text(writer.bytes))) != nil)
            #expect((try? JSONTree(text(lines.bytes))) != nil)
        }
        do {
            try reader.read(bytes.span, receive)
            try reader.finish(receive)
        } catch {
            return (found, false)
        }
        return (found, true)
    }

    /// Each value of each entry is replaced by a third of the odd ones, which depend on the file.
    @Test(arguments: HARFixtures.all.indices)
    func oddValuesLoseNoOtherEntry(_ index: Int) throws {
        let log = try JSONTree(HARFixtures.all[index].withoutMark)["log"]
        for entry in log?["entries"]?.elements ?? [] {
            for position in 0..<entry.count {
                for (number, value) in Self.odd.enumerated()
                where (number + position + index) % 3 == 0 {
                    let changed = entry.changing(position) { _ in value }
                    let entries: [JSONTree] = [Self.place(1), changed, Self.place(2)]
                    let file = JSONTree.object([
                        .init(
                            key: "log",
                            value: .object([.init(key: "entries", value: .array(entries))])
                        )
                    ])
                    let (found, isWhole) = Self.others(in: file.text)
                    #expect(found == ["/other/1", "/other/2"], "\(position): \(changed.text)")
                    #expect(isWhole, "\(position): \(changed.text)")
                }
            }
        }
    }

    /// Bytes are removed or changed at random.
    @Test func anyBytesAreReadOrRejected() {
        var random = Random(seed: 88)
        for round in 0..<3000 {
            var bytes = Array(HARFixtures.all[round % HARFixtures.all.count].utf8)
            for _ in 0..<1 + random.below(4) {
                let position = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[position] = UInt8(random.below(256))
                case 1: bytes.remove(at: position)
                default: bytes.insert(contentsOf: bytes.prefix(random.below(40)), at: position)
                }
            }
            let whole = outcome([bytes])
            let cut = random.below(bytes.count)
            let parts = outcome([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(whole == parts, "round \(round)")
        }
    }
}

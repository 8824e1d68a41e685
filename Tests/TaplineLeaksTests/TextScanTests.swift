// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineLeaks

@Suite("Text in chunks")
struct TextScanTests {
    private func scan(
        _ bytes: [UInt8],
        chunks: [Int],
        isBinary: Bool = false,
        windowBytes: Int = 64,
        maxLineBytes: Int = 1 << 20,
        _ scanner: UnitScanner
    ) -> [String] {
        var found: [StreamHit] = []
        let scan = TextScan(
            isBinary: isBinary,
            scanner,
            windowBytes: windowBytes,
            maxLineBytes: maxLineBytes
        ) { found.append($0) }
        var start = 0
        for end in chunks + [bytes.count] {
            scan.append(bytes.span.extracting(start..<end))
            start = end
        }
        scan.finish()
        return described(found, scanner)
    }

    @Test("Each hit at a boundary is reported once, wherever the text is split")
    func everySplit() throws {
        let scanner = try scanner(secret, "second-value", detectors: Hashes())
        let text = """
            line one \(secret)
            {"id":"0193","text":"second-value"}
            #ABC# and \(secret)\(secret)
            {broken \(secret)
            {"a":"#XYZ#"}
            end second-value
            """
        let bytes = Array(text.utf8)
        let whole = scan(bytes, chunks: [], scanner)
        #expect(
            whole.map { String($0.prefix { $0 != "@" }) } == [
                "v1", "v2", "hashes", "v1", "v1", "v1", "hashes", "v2",
            ]
        )
        for split in 0...bytes.count {
            #expect(scan(bytes, chunks: [split], scanner) == whole, "cut at \(split)")
        }
        #expect(scan(bytes, chunks: Array(1..<bytes.count), scanner) == whole)
    }

    @Test("Windows overlap far enough", arguments: [false, true])
    func windows(isBinary: Bool) throws {
        let scanner = try scanner(secret, detectors: Hashes())
        // Long enough that each window ends near a value.
        var bytes: [UInt8] = []
        var expected = 0
        while bytes.count < 60_000 {
            bytes += Array("some text \(bytes.count) ".utf8)
            if !isBinary, bytes.count % 7 == 0 { bytes.append(0x0A) }
            bytes += Array("\(secret) #ABCDEF#".utf8)
            expected += 2
        }
        for windowBytes in [7_000, 30_000] {
            let found = scan(
                bytes,
                chunks: Array(stride(from: 4099, to: bytes.count, by: 4099)),
                isBinary: isBinary,
                windowBytes: windowBytes,
                scanner
            )
            #expect(found.count == expected)
            #expect(Set(found).count == expected)
        }
    }

    @Test("A line that is too long is scanned in parts and counted")
    func longLine() throws {
        let scanner = try scanner(secret)
        let line = String(repeating: "x", count: 200_000)
        let text = "{\"a\":\"\(line)\(secret)\(line)\(secret)\"}\n\(secret)\n{\"id\":\"\(secret)\"}"
        var found: [StreamHit] = []
        let scan = TextScan(isBinary: false, scanner, windowBytes: 1000, maxLineBytes: 50_000) {
            found.append($0)
        }
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 10_000) {
            scan.append(bytes.span.extracting(start..<min(start + 10_000, bytes.count)))
        }
        scan.finish()
        #expect(scan.longLines == 1)
        #expect(found.map(\.place.line) == [1, 1, 2, 3])
        #expect(found.map(\.place.path) == [nil, nil, nil, "id"])
        #expect(found.first?.place.offset == 200_006)
    }

    @Test("Lines and offsets count from the start of the stream")
    func places() throws {
        let scanner = try scanner(secret)
        let text =
            "\u{FEFF}{\"id\":\"\(secret)\"}\r\n\r\n  \(secret)\n \t{\"tags\":{\"k\":\"\(secret)\"}}"
        var found: [StreamHit] = []
        let scan = TextScan(isBinary: false, scanner) { found.append($0) }
        scan.append(Array(text.utf8).span)
        scan.finish()
        #expect(found.map(\.place.line) == [1, 3, 4])
        #expect(found.map(\.place.offset) == [10, 33, 65])
        #expect(found.map(\.place.path) == ["id", nil, "tags[0]"])
    }

    @Test("A stream of any length takes the memory of one window", arguments: [false, true])
    func memory(isBinary: Bool) throws {
        let scanner = try scanner(secret)
        let chunk = Array(String(repeating: "some text and more\n", count: 3000).utf8)
        var found = 0
        let scan = TextScan(isBinary: isBinary, scanner, windowBytes: 100_000) { _ in found += 1 }
        for _ in 0..<50 {
            scan.append(chunk.span)
            #expect(scan.heldBytes <= 100_000 + 2 * scanner.reach + chunk.count)
        }
        scan.append(Array(secret.utf8).span)
        scan.finish()
        #expect(found == 1)
    }

    @Test("Binary data has no lines")
    func binary() throws {
        let scanner = try scanner(secret)
        let found = scan(
            [0, 10, 10, 0] + Array(secret.utf8),
            chunks: [],
            isBinary: true,
            scanner
        )
        #expect(found == ["v1@4"])
    }
}

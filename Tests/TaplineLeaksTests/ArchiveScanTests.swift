// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineLeaks

@Suite("Archives")
struct ArchiveScanTests {
    private static let text = """
        {
          "log": {
            "version": "1.2",
            "pages": [ { "title": "https://shop.test/?\(secret)" } ],
            "entries": [
              { "request": { "url": "http://a/" } },
              { "request": {
                  "url": "http://a/\(secret)" } },
              { "comment": "\(secret)" }
            ],
            "comment": "#ABC#"
          }
        }
        """

    private func scan(_ text: String, chunks: [Int] = []) throws -> [String] {
        let scanner = try scanner(secret, detectors: Hashes())
        var found: [StreamHit] = []
        let scan = ArchiveScan(scanner) { found.append($0) }
        let bytes = Array(text.utf8)
        var start = 0
        for end in chunks + [bytes.count] {
            scan.append(bytes.span.extracting(start..<end))
            start = end
        }
        scan.finish()
        return found.map { hit, place in
            "\(place.line ?? 0):\(place.offset ?? 0) \(place.path ?? "-") \(scanner.kind(of: hit).name)"
        }
    }

    @Test("Entries are scanned as records and the rest as text, however the archive is split")
    func everySplit() throws {
        let whole = try scan(Self.text)
        #expect(
            whole == [
                "4:81 - v1", "8:213 log.entries[1].request.url v1",
                "9:255 log.entries[2].comment v1",
                "11:297 - hashes",
            ]
        )
        for split in 0...Self.text.utf8.count {
            #expect(try scan(Self.text, chunks: [split]) == whole, "cut at \(split)")
        }
        #expect(try scan(Self.text, chunks: Array(1..<Self.text.utf8.count)) == whole)
    }

    @Test("Broken entries are scanned as text")
    func broken() throws {
        #expect(try scan("{\"log\":{\"entries\":[{\"a\":\"\(secret)\"").count == 1)
        #expect(try scan("{\"log\":{\"entries\":[{\"a\":\"\(secret)\"]]]} #AB#").count == 2)
        #expect(
            try scan("{\"log\":{\"entries\":[{\"a\":tru,\"b\":\"\(secret)\"}, {\"c\":1}]}}").count
                == 1
        )
    }
}

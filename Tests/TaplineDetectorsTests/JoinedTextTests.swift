// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineDetectors
import TaplinePlugin
import TestSupport
import Testing

@Suite("Texts joined with NUL bytes")
struct JoinedTextTests {
    /// Parts at the ends of a text that could affect its neighbours.
    private static let parts = [
        "", " ", ",", "=", ":", "\"", "\\", "%", "%4", "\\u00", "/", "-", "_", ".", "@", "+", "(",
        "a", "1", "4111", "DE89 3704 ", "user=;", "password=", "heroku=", "server=db;", "bearer ",
        "Basic ", "://u:p", "a@b", "-----BEGIN PRIVATE KEY-----", "MIIE", "eyJ", "sk-", "word ",
        "ends here.\n", "{\"id\":1}", "+1 (212) ", "::1", "10.0.", "\r\n", "\t",
    ]

    private static func text(_ random: inout Random, _ secrets: [String]) -> [UInt8] {
        var text = ""
        for _ in 0..<random.below(4) { text += random.pick(parts) }
        if random.below(3) == 0 { text += random.pick(secrets) }
        for _ in 0..<random.below(3) { text += random.pick(parts) }
        return Array(text.utf8)
    }

    @Test("contain the findings of each text", arguments: 1...4)
    func nothingIsLost(seed: UInt64) throws {
        let names = (PluginRegistry.detectors.detectors?.detectors ?? []).map(\.name)
        let scan = try Scan(names)
        #expect(scan.set.endsAtNUL)
        let secrets =
            Samples.all().flatMap { [$0.secret, $0.before + $0.secret] } + [
                "jane.doe@mail.test", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00",
                "+1 212 555 0123", "192.168.17.4", "https://user:s3cr3tpw@db.test/x",
                "server=db;user id=sa;password=Tr0ub4dor&3", "Basic dXNlcjpzM2NyM3Rwdw==",
            ]
        var random = Random(seed: seed)
        var found = 0
        for _ in 0..<600 {
            let texts = (0..<1 + random.below(6)).map { _ in Self.text(&random, secrets) }
            var joined: [UInt8] = []
            var ranges: [Range<Int>] = []
            for text in texts {
                ranges.append(joined.count..<joined.count + text.count)
                joined += text + [0]
            }
            let all = scan.ranges(joined)
            for (text, range) in zip(texts, ranges) where !scan.ranges(text).isEmpty {
                found += 1
                let isSeen = all.contains {
                    $0.start < range.upperBound && $0.end > range.lowerBound
                }
                #expect(isSeen, "\(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(found > 300)
    }

    @Test("must not be joined if there are patterns of the user")
    func ownPatternsAreNotJoined() throws {
        let scan = try Scan(pattern: "^abc[0-9]+$")
        #expect(!scan.set.endsAtNUL)
        #expect(!scan.ranges(Array("abc123".utf8)).isEmpty)
        #expect(scan.ranges(Array("word\0abc123\0word".utf8)).isEmpty)
    }
}

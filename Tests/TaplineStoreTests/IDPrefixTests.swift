// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("The first digits of an id")
struct IDPrefixTests {
    @Test(
        "are the ids between two",
        arguments: [
            ("0193", 0x0193_0000_0000_0000, 0, 0x0193_FFFF_FFFF_FFFF, UInt64.max),
            (
                "01931234-5678-7abc-8", 0x0193_1234_5678_7abc, 0x8000_0000_0000_0000,
                0x0193_1234_5678_7abc, 0x8FFF_FFFF_FFFF_FFFF
            ),
            (
                "019312345678-7ABC", 0x0193_1234_5678_7abc, 0, 0x0193_1234_5678_7abc, UInt64.max
            ),
            (
                "01931234-5678-7abc-8def-0123456789ab", 0x0193_1234_5678_7abc,
                0x8def_0123_4567_89ab, 0x0193_1234_5678_7abc, 0x8def_0123_4567_89ab
            ),
        ] as [(String, UInt64, UInt64, UInt64, UInt64)]
    )
    func range(text: String, high: UInt64, low: UInt64, lastHigh: UInt64, lastLow: UInt64) throws {
        let prefix = try #require(IDPrefix(text))
        #expect(prefix.first == ExchangeID(high: high, low: low))
        #expect(prefix.last == ExchangeID(high: lastHigh, low: lastLow))
        #expect(prefix.isWhole == (text.count == 36))
        #expect(prefix.matches(prefix.first) && prefix.matches(prefix.last))
        #expect(!prefix.matches(ExchangeID(high: 0, low: 0)))
    }

    @Test(
        "are at least four hexadecimal ones",
        arguments: [
            "", "019", "0-1-9", "last", "0193g", "\u{1F600}",
            "01931234-5678-7abc-8def-0123456789ab0",
        ]
    )
    func wrong(text: String) { #expect(IDPrefix(text) == nil) }

    @Test("find an exchange in databases and recordings")
    func find() throws {
        let folder = try TemporaryFolder()
        let all = Exchange.examples(20)
        try Written.database(all, at: folder("a.db"))
        try folder.write(try Recorded.bytes(all + [all[3]]), to: "b.ndjson")
        for names in [["a.db"], ["b.ndjson"], ["a.db", "b.ndjson"]] {
            let stores = try StoreSet(names.map { folder($0) })
            let id = all[7].id.description
            // The examples begin in different milliseconds, which are the first twelve digits.
            for length in [36, 20, 13] {
                let prefix = try #require(IDPrefix(String(id.prefix(length))))
                #expect(try stores.exchange(with: prefix).exchange == all[7])
            }
            let first = try #require(IDPrefix(String(id.prefix(4))))
            let ambiguous = #expect(throws: StoreError.self) {
                _ = try stores.exchange(with: first)
            }
            #expect(ambiguous?.code == .ambiguousID)
            #expect(ambiguous?.description.hasSuffix(" and more") == true)
            #expect(ambiguous?.description.contains(all[0].id.description) == true)
            let unknown = #expect(throws: StoreError.self) {
                _ = try stores.exchange(with: try #require(IDPrefix("ffff")))
            }
            #expect(unknown?.code == .unknownID)
        }
    }
}

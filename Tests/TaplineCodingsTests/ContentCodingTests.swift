// SPDX-License-Identifier: MIT

import TaplineCodings
import Testing

@Suite struct ContentCodingTests {
    @Test(arguments: [
        ("gzip", [ContentCoding.gzip]), ("x-gzip", [.gzip]), ("GZip", [.gzip]),
        ("br", [.brotli]), ("deflate", [.deflate]), ("zstd", [.zstd]), ("", []), (" ", []),
        ("identity", []), ("gzip, br", [.gzip, .brotli]), (" gzip\t,br ", [.gzip, .brotli]),
        (",gzip,,", [.gzip]), ("identity, gzip", [.gzip]), ("gzip;q=1", [.unknown]),
        ("gz ip", [.unknown]), ("compress", [.unknown]), ("aes128gcm, gzip", [.unknown, .gzip]),
        ("gzi", [.unknown]), ("gzipp", [.unknown]),
    ])
    func readsLists(value: String, codings: [ContentCoding]) {
        #expect(ContentCoding.list(value) == codings)
    }

    @Test func limitsTheList() {
        let value = Array(repeating: "gzip", count: 100).joined(separator: ",")
        #expect(ContentCoding.list(value) == Array(repeating: .gzip, count: 8) + [.unknown])
    }

    @Test func acceptsAnyBytes() {
        for byte in UInt8.min...UInt8.max {
            let codings = ContentCoding.list([0x62, 0x72, byte].span)
            let isSeparator = byte == 0x20 || byte == 0x09 || byte == 0x2c
            #expect(codings == [isSeparator ? .brotli : .unknown])
        }
    }

    @Test(arguments: [ContentCoding.identity, .gzip, .deflate, .brotli, .zstd])
    func roundTripsItsName(coding: ContentCoding) {
        #expect(ContentCoding(name: coding.name) == coding)
        #expect("\(coding)" == coding.name)
        #expect(coding.isKnown)
    }

    @Test func unknownCodingsAreReported() {
        #expect(!ContentCoding.unknown.isKnown)
        #expect(ContentCoding.unknown.outcome([]).code == .unsupported)
    }
}

// SPDX-License-Identifier: MIT

import TaplineCodings
import TestSupport
import Testing

@testable import TaplineLeaks

@Suite("Compressed streams after something that looks like one")
struct HiddenStreamTests {
    private func count(_ bytes: [UInt8]) throws -> Int {
        let scanner = try scanner(secret)
        return scanner.scan(bytes.span).count
    }

    private static let streams: [(name: String, bytes: [UInt8])] = [
        ("deflate", [0x78, 0x9C, 0x62]), ("fast deflate", [0x78, 0x01, 0x03]),
        ("a stored block", [0x78, 0xDA, 0x00, 0xFF, 0x00, 0x00, 0xFF]),
        ("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x62]),
        ("gzip with a name", [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3]),
        ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0x05, 0x00]),
    ]

    @Test("A header that begins no stream hides none", arguments: 0..<6)
    func falseHeaders(number: Int) throws {
        let (name, header) = Self.streams[number]
        let body = Array("some text before \(secret) and after it, some more".utf8)
        for coding in [ContentCoding.gzip, .deflate, .zstd] {
            let packed = try coded(body, coding)
            for padding in 0..<24 {
                let bytes =
                    [1, 2] + header + [UInt8](repeating: 0x61, count: padding) + packed + [0, 7]
                #expect(try count(bytes) == 1, "\(coding.name) after \(name) and \(padding)")
            }
        }
    }

    @Test("A stream that is cut off hides none")
    func cutOff() throws {
        var random = Random(seed: 20)
        let noise = (0..<2000).map { _ in random.byte() & 0x7F }
        let body = Array("some text before \(secret) and after it, some more".utf8)
        for outer in [ContentCoding.gzip, .deflate, .zstd] {
            let whole = try coded(noise, outer)
            for inner in [ContentCoding.gzip, .deflate, .zstd] {
                let packed = try coded(body, inner)
                for length in [12, 300, 301, 302, 303, 900] {
                    let bytes = Array(whole.prefix(length)) + packed + packed
                    #expect(try count(bytes) >= 1, "\(inner.name) in \(outer.name), \(length)")
                }
            }
        }
    }

    @Test("What a stream has before it is damaged is searched")
    func damaged() throws {
        var random = Random(seed: 21)
        let noise = (0..<90_000).map { _ in random.byte() & 0x7F }
        for coding in [ContentCoding.gzip, .deflate] {
            var packed = try coded(Array(secret.utf8) + noise, coding)
            packed.replaceSubrange(50_000..<50_100, with: [UInt8](repeating: 0xFF, count: 100))
            #expect(try count([0] + packed) == 1, "\(coding.name)")
        }
    }

    @Test("A value is erased from a stream after a header that begins none", arguments: 0..<6)
    func erased(number: Int) throws {
        let header = Self.streams[number].bytes
        let eraser = try ValueEraser(try values(secret))
        let body = Array("some text before \(secret) and after it, some more".utf8)
        for coding in [ContentCoding.gzip, .deflate, .zstd] {
            for padding in 0..<12 {
                let start = header + [UInt8](repeating: 0x61, count: padding)
                let bytes = start + (try coded(body, coding)) + [0, 7]
                let erased = eraser.erase(bytes.span)
                let result = try #require(erased, "\(coding.name) after \(padding)")
                #expect(try count(result.bytes) == 0)
                // A stored block contains what follows it.
                guard number != 2 else { continue }
                #expect(result.bytes.starts(with: start))
                // The rest of the stream stays.
                let stream = result.bytes.dropFirst(start.count).dropLast(2)
                let text = try coding.decode(Array(stream).span)
                #expect(
                    String(decoding: text, as: UTF8.self)
                        == "some text before [erased] and after it, some more"
                )
            }
        }
    }

    @Test("Headers without end take no more time than the limits allow, which is reported")
    func manyHeaders() throws {
        // Each header begins a stream of stored blocks, which contains all later ones.
        var bytes: [UInt8] = []
        let header: [UInt8] = [0x78, 0x9C, 0x00, 0xF9, 0xFF, 0x06, 0x00]
        while bytes.count < 65_000 { bytes += header }
        var limits = UnitScanner.Limits()
        limits.maxDecodedBytes = 1 << 20
        let scanner = try UnitScanner(ValueIndex(try values(secret)), nil, limits)
        #expect(scanner.scan(bytes.span).isEmpty)
        #expect(scanner.takeMetLimit())
    }

    @Test("A stream that needs too much memory is reported")
    func largeWindow() throws {
        let scanner = try scanner(secret)
        let bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xF8, 0x05, 0, 0, 0x61, 0x61, 0x61]
        #expect(scanner.scan(bytes.span).isEmpty)
        #expect(scanner.takeMetLimit())
    }
}

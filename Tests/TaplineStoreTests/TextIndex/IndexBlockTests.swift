// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineStore

@Suite("Blocks of a full-text index")
struct IndexBlockTests {
    @Test("are read as they were written")
    func roundTrip() throws {
        let numbers: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, .max, UInt64(bitPattern: -5)]
        var writer = IndexBlockWriter()
        for number in numbers { writer.add(number) }
        writer.add([1, 2, 3])
        var reader = try IndexBlockReader(writer.finish(key: 7), key: 7)
        for number in numbers { #expect(try reader.number() == number) }
        #expect(try Array(reader.bytes(3)) == [1, 2, 3])
        #expect(reader.isAtEnd)
        #expect(throws: DamagedIndex.self) { try reader.number() }
        #expect(throws: DamagedIndex.self) { try reader.bytes(1) }
    }

    @Test("with a changed byte, a missing one or another key are damaged")
    func damage() throws {
        var writer = IndexBlockWriter()
        writer.add(Array("content".utf8))
        let bytes = writer.finish(key: 1)
        _ = try IndexBlockReader(bytes, key: 1)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 4
            #expect(throws: DamagedIndex.self) { try IndexBlockReader(changed, key: 1) }
            #expect(throws: DamagedIndex.self) {
                try IndexBlockReader(Array(bytes[..<index]), key: 1)
            }
        }
        #expect(throws: DamagedIndex.self) { try IndexBlockReader(bytes, key: 2) }
    }

    @Test("have numbers with a limit, and none of more than 64 bits")
    func limits() throws {
        var writer = IndexBlockWriter()
        writer.add(5)
        writer.add([UInt8](repeating: 0xFF, count: 12))
        var reader = try IndexBlockReader(writer.finish(key: 1), key: 1)
        #expect(try reader.count(upTo: 5) == 5)
        #expect(throws: DamagedIndex.self) { try reader.number() }
        var again = try IndexBlockReader(writer.finish(key: 1), key: 1)
        #expect(throws: DamagedIndex.self) { try again.count(upTo: 4) }
    }
}

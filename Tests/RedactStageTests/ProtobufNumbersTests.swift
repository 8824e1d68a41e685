// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineProtobuf
import TaplineSystem
import TestSupport
import Testing

@testable import RedactStage

/// Numbers are searched as a person would read them, with a limit for the work.
@Suite struct ProtobufNumbersTests {
    private static let pattern = "patterns: [{name: card, regex: '4111111111111111'}]"
    private static let kept = "{keep_types: ['*'], \(pattern)}"
    private static let withoutPreset = "{preset: none, \(pattern)}"
    private static let card: Int64 = 4_111_111_111_111_111

    private func body(
        _ bytes: [UInt8],
        _ yaml: String,
        type: String = "application/x-protobuf"
    ) throws -> [UInt8] {
        var full = exchange(type: type)
        full.request.body = Body(bytes)
        return try redact(full, yaml).request.body.bytes
    }

    private func fixed(_ number: Int, _ bits: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        ProtobufWriter.append(tag: number, .fixed64, to: &bytes)
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
    }

    private func fixed(_ number: Int, _ bits: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        ProtobufWriter.append(tag: number, .fixed32, to: &bytes)
        return bytes + (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(8 * $0)) }
    }

    /// Returns a field for each way to write a number.
    private func fields(_ number: Int64) -> [[UInt8]] {
        let bits = UInt64(bitPattern: number)
        let zigzag = UInt64(bitPattern: number << 1 ^ number >> 63)
        return [
            GRPCBodies.varint(3, bits), GRPCBodies.varint(3, zigzag), fixed(3, bits),
            fixed(3, Double(number).bitPattern),
        ]
    }

    @Test(arguments: [kept, withoutPreset])
    func negativeNumbersAreFoundInEveryNotation(yaml: String) throws {
        for number in [Self.card, -Self.card] {
            for (index, field) in fields(number).enumerated() {
                #expect(try body(field, yaml) == [], "\(number) \(index)")
                // Packed: two of these numbers.
                let content = Array(field.dropFirst())
                let packed = GRPCBodies.message((2, content + content))
                let found = try body(packed, yaml)
                #expect(!GRPCBodies.holds(found, content), "\(number) \(index)")
            }
        }
    }

    @Test func aSignIsPartOfTheNumber() throws {
        let yaml = "{preset: none, patterns: [{name: n, regex: '-4111111111111111'}]}"
        for field in fields(-Self.card) { #expect(try body(field, yaml) == []) }
        for field in fields(Self.card) { #expect(try body(field, yaml) == field) }
    }

    @Test func numbersOf32BitsAreSearched() throws {
        let yaml = "{preset: none, patterns: [{name: n, regex: '2025550123'}]}"
        #expect(try body(fixed(3, UInt32(2_025_550_123)), yaml) == [])
        let negative = UInt32(bitPattern: -2_025_550_123)
        #expect(try body(fixed(3, negative), yaml) == [])
        // As some writers do, without the upper 32 bits.
        #expect(try body(GRPCBodies.varint(3, UInt64(negative)), yaml) == [])
        let other = fixed(3, UInt32(2_025_550_124))
        #expect(try body(other, yaml) == other)
    }

    private func many(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { GRPCBodies.varint(1, 1_000_000_000_000 + UInt64($0)) }
    }

    @Test(arguments: [
        "{keep_types: ['*'], detectors: standard, max_decoded_bytes: 10KB}",
        "{preset: none, detectors: standard, max_decoded_bytes: 10KB}",
    ])
    func numbersBeyondTheBudgetAreRemoved(yaml: String) throws {
        let few = many(100)
        #expect(try body(few, yaml) == few)
        let text = GRPCBodies.message((2, Array("text".utf8)))
        let found = try body(many(20_000) + text, yaml)
        #expect(found == text)
        var packed: [UInt8] = []
        for number in 0..<20_000 {
            ProtobufWriter.append(varint: 1_000_000_000_000 + UInt64(number), to: &packed)
        }
        let inField = try body(GRPCBodies.message((3, packed)) + text, yaml)
        #expect(inField.suffix(text.count) == text[...] && inField.count < 100)
        // The next message has a budget of its own.
        var full = exchange(type: "application/grpc")
        full.messages = [many(20_000) + text, few].map {
            StreamMessage(direction: .up, type: "grpc", bytes: $0)
        }
        #expect(try redact(full, yaml).messages.map(\.bytes) == [text, few])
    }

    @Test func aSecretAmongManyNumbersTakesTimeInProportion() throws {
        let card = GRPCBodies.varint(2, UInt64(Self.card))
        let yaml = "{keep_types: ['*'], patterns: [{name: card, regex: '4111111111111111'}]}"
        func milliseconds(_ count: Int) throws -> Double {
            let bytes = many(count) + card
            let start = ThreadClock.microseconds
            #expect(!GRPCBodies.holds(try body(bytes, yaml), card))
            return Double(ThreadClock.microseconds - start) / 1000
        }
        let small = try (0..<3).map { _ in try milliseconds(1_000) }.min() ?? 0
        let large = try (0..<3).map { _ in try milliseconds(5_000) }.min() ?? 0
        #expect(large < small * 12)
    }
}

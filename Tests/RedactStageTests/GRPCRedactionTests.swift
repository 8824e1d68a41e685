// SPDX-License-Identifier: MIT

import Synchronization
import TaplineCodings
import TaplineModel
import TaplineProtobuf
import TestSupport
import Testing

@testable import RedactStage

/// Hostile gRPC bodies neither keep their secrets nor cost more than their size.
@Suite struct GRPCRedactionTests {
    private static let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"
    private static let named = "descriptors: \(fixtures)/shop.binpb"
    private static let kept = "{keep_types: ['*'], detectors: standard}"
    private static let token = "SK-A1B2C3D4E5F6G7H8"
    private static let order = "application/protobuf; proto=shop.v1.Order"

    private func word(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func body(
        _ type: String,
        _ bytes: [UInt8],
        _ yaml: String,
        encoding: String = "",
        isTruncated: Bool = false
    ) throws -> [UInt8] {
        var full = exchange(type: type)
        full.request.target = "/shop.v1.Orders/Put"
        if !encoding.isEmpty { full.request.fields.append(name: "grpc-encoding", value: encoding) }
        full.request.body = Body(bytes: bytes, size: nil, isTruncated: isTruncated)
        return try redact(full, yaml).request.body.bytes
    }

    /// Returns a redactor with the preset's rules and the types of a test.
    private func redactor(_ descriptors: [UInt8]) throws -> Redactor {
        var list = RuleList()
        list.addStandard(.mask)
        list.schema = try ProtobufSchema(descriptors.span)
        let key: [UInt8] = []
        let rules = RuleSet(list, Replacement(mask: "[redacted]", key: key.span))
        let counters = RuleCounters(rules.book).makeCounters()
        return Redactor(rules, RuleCounter(rules.book, counters, marks: false), nil)
    }

    @Test func nothingIsDecodedAfterAMessageThatIsTooLarge() throws {
        let bomb = try GRPCBodies.coded([UInt8](repeating: 0x61, count: 200_000), .gzip)
        let clean = try GRPCBodies.coded(GRPCBodies.message((1, word("clean"))), .gzip)
        let first = GRPCBodies.frame(clean, flags: 1)
        let all = first + GRPCBodies.frame(bomb, flags: 1) + first
        let yaml = "{keep_types: ['*'], max_decoded_bytes: 100KB}"
        let found = try body("application/grpc", all, yaml, encoding: "gzip")
        let mask = GRPCBodies.frame(word("[redacted]"))
        #expect(found == first + mask + mask)
    }

    @Test func emptyMessagesStay() throws {
        let zeros = [UInt8](repeating: 0, count: 100_000)
        #expect(try body("application/grpc", zeros, Self.kept) == zeros)
        let secret = GRPCBodies.frame(GRPCBodies.message((1, word(Self.token))))
        let found = try body("application/grpc", zeros + secret + zeros, Self.kept)
        let clean = GRPCBodies.frame(GRPCBodies.message((1, word("[redacted]"))))
        #expect(found == zeros + clean + zeros)
    }

    /// Values of one digit at one path, which together are card numbers, among other fields.
    private func split(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for position in 0..<count {
            var message = GRPCBodies.message((1, [0x30 + UInt8(position % 10)]))
            message += GRPCBodies.varint(2, 1) + GRPCBodies.varint(2, 2)
            bytes += GRPCBodies.frame(message)
        }
        return bytes
    }

    @Test func splitValuesTakeTimeInProportion() throws {
        _ = try body("application/grpc", split(100), Self.kept)
        func milliseconds(_ count: Int) throws -> Double {
            let bytes = split(count)
            let start = ContinuousClock.now
            let found = try body("application/grpc", bytes, Self.kept)
            #expect(found.count != bytes.count)
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
        // Both at their best, as other tests run beside this one.
        let small = try (0..<3).map { _ in try milliseconds(300) }.min() ?? 0
        let large = try (0..<3).map { _ in try milliseconds(1_500) }.min() ?? 0
        #expect(large < small * 12)
    }

    @Test func splitValuesBeyondTheBudgetAreMasked() throws {
        // The clock is read at 256 KiB, and again 64 KiB later.
        let value = GRPCBodies.message(
            (1, [UInt8](repeating: 0x61, count: 131_072)),
            (2, [UInt8](repeating: 0x61, count: 32_768)),
            (3, word("some words"))
        )
        var redactor = try redactor([])
        let time = Atomic<Int64>(0)
        redactor.search.budget = SearchBudget(
            EmbeddedLimits(),
            maxBytes: 1 << 20,
            maxTime: .milliseconds(50),
            now: { time.add(1_000_000, ordering: .relaxed).newValue }
        )
        redactor.search.beginExchange()
        var values = SplitValues()
        for position in 0..<2 {
            let isWhole = values.add(value.span, of: position)
            #expect(isWhole)
        }
        var found = redactor.editSplitValues(values)
        for position in 0..<2 {
            var edits = EditList()
            let isEdited = found.concerns(position)
            #expect(isEdited)
            let written = found.apply(to: value.span, of: position, &edits)
            #expect(written == value.dropLast(12) + GRPCBodies.message((3, word("[redacted]"))))
        }
    }

    @Test func aPathTooManyMasksTheRestOfTheMessages() throws {
        var messages: [[UInt8]] = []
        for start in 0..<3 {
            var message: [UInt8] = []
            for number in 1...9_000 {
                ProtobufWriter.append(start * 9_000 + number, word("v").span, to: &message)
            }
            messages.append(message)
        }
        var values = SplitValues()
        let fits = messages.enumerated().map { values.add($1.span, of: $0) }
        #expect(fits == [true, true, false])
        #expect(values.size == 18_000)
        let nothing: [UInt8] = []
        let other = messages[0]
        let isEmptyAdded = values.add(nothing.span, of: 3)
        let isOtherAdded = values.add(other.span, of: 4)
        #expect(isEmptyAdded && !isOtherAdded)
    }

    @Test func eachMessageInABinaryFieldIsEdited() throws {
        func text(_ bytes: [UInt8]) -> String {
            String(decoding: GRPCBodies.base64(bytes), as: UTF8.self).replacing("=", with: "")
        }
        let good = text(GRPCBodies.message((1, word("fine")), (2, word("x"))))
        let secret = text(GRPCBodies.message((1, word("password")), (2, word("hunter2"))))
        for value in ["\(good),\(secret)", "\(secret), \(good)", "\(good) , \(secret),\(secret)"] {
            let found = try redactField("x-note-bin", value) ?? ""
            #expect(!found.contains(secret.suffix(10)), "\(value)")
            #expect(found.contains(good))
            for part in found.split(separator: ",") {
                var decoder = GRPCWebText()
                var message: [UInt8] = []
                let part = part.filter { $0 != " " }
                let padded = part + String(repeating: "=", count: (4 - part.count % 4) % 4)
                let isText = decoder.decode(padded.utf8.span, appendingTo: &message)
                #expect(isText)
                #expect(!GRPCBodies.holds(message, word("hunter2")))
            }
        }
        let mixed = try redactField("x-note-bin", "\(good),password=hunter2")
        #expect(mixed == "\(good),password=[redacted]")
    }

    @Test func aMessageInAnyIsEditedByItsType() throws {
        var set = DescriptorSet(package: "t")
        set.add(
            "Login",
            [
                .init(name: "user", number: 1, type: .string),
                .init(name: "password", number: 2, type: .string),
            ]
        )
        var any = DescriptorSet(package: "google.protobuf")
        any.add(
            "Any",
            [
                .init(name: "type_url", number: 1, type: .string),
                .init(name: "value", number: 2, type: .bytes),
            ]
        )
        var redactor = try redactor(set.bytes + any.bytes)
        for count in 1...200 {
            let secret = word(String(repeating: "q", count: count) + "!")
            let login = GRPCBodies.message((1, word("me")), (2, secret))
            for url in ["type.test/t.Login", "type.test/t.Other", ""] {
                var full = exchange(type: "application/protobuf; proto=google.protobuf.Any")
                full.request.body = Body(GRPCBodies.message((1, word(url)), (2, login)))
                redactor.redact(&full)
                let found = full.request.body.bytes
                #expect(!GRPCBodies.holds(found, secret), "\(count) \(url)")
                let clean = GRPCBodies.message((1, word("me")), (2, word("[redacted]")))
                if url.hasSuffix("Login") {
                    #expect(found == GRPCBodies.message((1, word(url)), (2, clean)), "\(count)")
                }
            }
        }
    }

    @Test func aPairIsNamedByEachOfItsFields() throws {
        for seed in 0..<50 {
            var set = DescriptorSet(package: "t")
            let names = seed % 2 == 0 ? ["key", "name"] : ["name", "key"]
            let fields = (names + ["string_value"]).enumerated().map {
                DescriptorSet.Field(name: $1, number: $0 + 1, type: .string)
            }
            set.add("Attribute", fields)
            var redactor = try redactor(set.bytes)
            for place in 1...2 {
                var full = exchange(type: "application/protobuf; proto=t.Attribute")
                full.request.body = Body(
                    GRPCBodies.message(
                        (place, word("password")),
                        (3 - place, word("x")),
                        (3, word("hunter2"))
                    )
                )
                redactor.redact(&full)
                #expect(!GRPCBodies.holds(full.request.body.bytes, word("hunter2")), "\(seed)")
            }
        }
    }

    @Test(arguments: [
        "{keep_types: ['*'], detectors: standard}", "{\(named), detectors: standard}",
    ])
    func cardNumbersAreFoundInEveryKindOfNumber(yaml: String) throws {
        let card: UInt64 = 4_111_111_111_111_111
        func fixed(_ bits: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
        }
        var packed: [UInt8] = []
        for number in [7, card, 8] { ProtobufWriter.append(varint: number, to: &packed) }
        let double = fixed(Double(card).bitPattern)
        var price: [UInt8] = []
        ProtobufWriter.append(tag: 9, .fixed64, to: &price)
        let bodies: [(String, [UInt8])] = [
            ("Item", GRPCBodies.message((3, packed))),
            ("Order", GRPCBodies.message((12, packed))),
            ("Order", GRPCBodies.message((12, fixed(7) + fixed(card)))),
            ("Order", GRPCBodies.varint(23, card << 1)),
            ("Order", GRPCBodies.varint(14, card)),
            ("Order", price + double),
        ]
        for (index, (type, bytes)) in bodies.enumerated() {
            let found = try body("application/protobuf; proto=shop.v1.\(type)", bytes, yaml)
            #expect(!GRPCBodies.holds(found, Array(packed.dropFirst().dropLast())), "\(index)")
            #expect(!GRPCBodies.holds(found, fixed(card)), "\(index)")
            #expect(found.count < bytes.count || yaml.contains("shop"), "\(index)")
            #expect(found != bytes, "\(index)")
        }
    }

    @Test func aPatternWithAnchorsIsAppliedToEachNumber() throws {
        let yaml = "{keep_types: ['*'], patterns: [{name: card, regex: '^4[0-9]{15}$'}]}"
        let card: UInt64 = 4_111_111_111_111_111
        var secret: [UInt8] = []
        ProtobufWriter.append(varint: card, to: &secret)
        let kept = GRPCBodies.varint(22, 1_234_567_890)
        let bytes = kept + GRPCBodies.varint(23, card)
        let found = try body("application/protobuf; proto=shop.v1.Order", bytes, yaml)
        #expect(!GRPCBodies.holds(found, secret))
        #expect(try body("application/protobuf; proto=shop.v1.Order", kept, yaml) == kept)
    }

    @Test func aCutMessageLosesItsLastFieldWithoutAPreset() throws {
        let secret = "hunter2hunter2"
        let nested = GRPCBodies.message((1, word("k")), (2, GRPCBodies.varint(2, 5)))
        let whole = GRPCBodies.message((1, word("id")), (8, word(secret)), (4, nested))
        let yaml = "{preset: none, json: [password], \(Self.named)}"
        for count in 0..<whole.count {
            let part = Array(whole.prefix(count))
            let found = try body(Self.order, part, yaml, isTruncated: true)
            let framed = GRPCBodies.frame(whole).prefix(5) + part
            let inFrame = try body(
                "application/grpc; proto=shop.v1.Order",
                Array(framed),
                yaml,
                isTruncated: true
            )
            for length in 1...secret.utf8.count where count > 4 {
                let piece = word(String(secret.prefix(length)))
                guard length > 2 else { continue }
                #expect(!GRPCBodies.holds(found, piece), "\(count)")
                #expect(!GRPCBodies.holds(inFrame, piece), "\(count)")
            }
        }
        // Damage at the end does not hide what names say.
        let damaged = try body(Self.order, whole + [0xFF], yaml)
        #expect(!GRPCBodies.holds(damaged, word(secret)))
    }

    @Test func aMessageThatCannotBeDecodedIsMaskedWithoutAPreset() throws {
        let content = try GRPCBodies.coded(GRPCBodies.message((8, word("hunter2"))), .gzip)
        let yaml = "{preset: none, json: [password], \(Self.named)}"
        let cut = Array(GRPCBodies.frame(content, flags: 1).dropLast(4))
        let type = "application/grpc; proto=shop.v1.Order"
        let found = try body(type, cut, yaml, encoding: "gzip", isTruncated: true)
        #expect(found == GRPCBodies.frame(word("[redacted]")))
    }
}

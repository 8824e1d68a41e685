// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TaplineCodings
import TaplineModel
import Testing

@testable import RedactStage

/// Embedded content takes a bounded time, and what exceeds it is masked.
@Suite struct SearchBudgetTests {
    /// A clock that advances by the same amount at each reading.
    private final class Clock: Sendable {
        private let time = Atomic<Int64>(0)
        private let step: Int64

        init(step: Int64) { self.step = step }

        var now: Int64 { time.add(step, ordering: .relaxed).newValue }
    }

    private func budget(maxBytes: Int, step: Int64) -> SearchBudget {
        let clock = Clock(step: step)
        return SearchBudget(
            EmbeddedLimits(),
            maxBytes: maxBytes,
            maxTime: .milliseconds(50),
            now: { clock.now }
        )
    }

    @Test func bytesAreLimitedByBodyAndText() {
        var budget = budget(maxBytes: 3 << 20, step: 0)
        budget.beginExchange()
        budget.beginBody(1000)
        budget.beginText(1000)
        #expect(budget.bytes == 1 << 20)
        budget.spend(1 << 20)
        #expect(budget.bytes == 0)
        budget.beginText(1 << 20)
        #expect(budget.bytes == 2 << 20)
        budget.spend(5 << 20)
        budget.beginText(1000)
        #expect(budget.bytes == 0)
        #expect(budget.bytesOfBody == 0)
        // A large body may decode to as many bytes as it has.
        budget.beginBody(4 << 20)
        budget.beginText(4 << 20)
        #expect(budget.bytes == 4 << 20)
    }

    @Test func timeIsLimitedByExchange() {
        var budget = budget(maxBytes: 16 << 20, step: 20_000)
        budget.beginExchange()
        budget.beginBody(1000)
        budget.beginText(16 << 20)
        // The clock starts after 256 KiB and is read every 64 KiB; the third reading is too late.
        for count in [256, 64, 64] {
            budget.spend(count << 10)
            #expect(budget.bytes > 0)
        }
        budget.beginBody(1000)
        budget.spend(64 << 10)
        #expect(budget.bytes == 0)
        #expect(budget.bytesOfBody == 0)
        budget.beginBody(1000)
        #expect(budget.bytes == 0)
        budget.beginExchange()
        #expect(budget.bytes > 0)
    }

    /// 25 ns a byte: 100 ms for 4,000,000 bytes.
    @Test func largeBodiesHaveMoreTime() {
        var budget = budget(maxBytes: 16 << 20, step: 20_000)
        budget.beginExchange()
        budget.beginBody(4_000_000)
        budget.beginText(4_000_000)
        for count in [256, 64, 64, 64, 64, 64] {
            budget.spend(count << 10)
            #expect(budget.bytes > 0)
        }
        budget.spend(64 << 10)
        #expect(budget.bytes == 0)
    }

    /// Returns a unique text of 16 KiB, compressed and in base64.
    private func piece(_ number: Int) throws -> String {
        let line = "line \(number) of a text that says nothing, and goes on and on\n"
        let text = String(String(repeating: line, count: 400).prefix(16 << 10))
        return Data(try ContentCoding.gzip.encode(text.utf8.span)).base64EncodedString()
    }

    private func masked(_ numbers: [Int], _ options: String) throws -> [Bool] {
        let pieces = try numbers.map { try piece($0) }
        let text = "[" + pieces.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        let body = try redactBody(text, "application/json", options)
        let items = body.dropFirst().dropLast().split(separator: ",")
        try #require(items.count == numbers.count)
        return items.map { $0.contains("[redacted]") }
    }

    @Test func decodedBytesOfABodyAreLimited() throws {
        let found = try masked(Array(0..<12), "max_decoded_bytes: 128KiB")
        #expect(found == (0..<12).map { $0 >= 8 })
        let all = try masked(Array(0..<12), "{}")
        #expect(!all.contains(true))
    }

    @Test func equalPiecesAreSearchedOnce() throws {
        let found = try masked([Int](repeating: 7, count: 100), "max_decoded_bytes: 128KiB")
        #expect(!found.contains(true))
    }

    @Test func theTimeOfAnExchangeIsLimited() throws {
        let found = try masked(Array(0..<40), "max_time: 0ms")
        #expect(found.first == false)
        #expect(found.last == true)
        let first = try #require(found.firstIndex(of: true))
        #expect(16...24 ~= first)
        #expect(!found[first...].contains(false))
    }

    /// Some KB that decode to 4,800 texts of 1 MiB each: equal texts are decoded once, and of
    /// different ones as many as fit.
    @Test(arguments: [true, false])
    func aSmallBodyDecodesToABoundedSize(isEqual: Bool) throws {
        let texts = try (0..<(isEqual ? 1 : 20)).map { number in
            let text = "text \(number) " + String(repeating: "x", count: 1 << 20)
            return Data(try ContentCoding.gzip.encode(text.utf8.span)).base64EncodedString()
        }
        let items = (0..<4800).map { "\"\(texts[$0 % texts.count])\"" }
        let list = "[" + items.joined(separator: ",") + "]"
        var full = exchange(type: "application/json")
        full.request.body = Body(try ContentCoding.gzip.encode(list.utf8.span))
        full.request.body.coding = "gzip"
        #expect(full.request.body.bytes.count < 100_000)
        let body = try redact(full, "max_time: 1h").request.body
        let decoded = try ContentCoding.gzip.decode(body.bytes.span)
        let found = String(decoding: decoded, as: UTF8.self).split(separator: ",")
        let isMasked = found.map { $0.contains("[redacted]") }
        #expect(isMasked.count == 4800)
        // 16 MiB in all; the rest is masked.
        #expect(isMasked == (0..<4800).map { !isEqual && $0 >= 16 })
    }

    /// Many parts, each of which would reach the maximum size of a body.
    @Test func compressedPartsShareOneLimit() throws {
        var bytes: [UInt8] = []
        for number in 0..<12 {
            let line = "line \(number) of a text that says nothing, and goes on and on\n"
            let text = String(String(repeating: line, count: 400).prefix(16 << 10))
            bytes += "--b\r\nContent-Disposition: form-data; name=\"f\(number)\"\r\n\r\n".utf8
            bytes += try ContentCoding.gzip.encode(text.utf8.span)
            bytes += "\r\n".utf8
        }
        bytes += "--b--\r\n".utf8
        var full = exchange(type: "multipart/form-data; boundary=b")
        full.request.body = Body(bytes)
        let result = try redact(full, "max_decoded_bytes: 128KiB").request.body.bytes
        let text = String(decoding: result, as: UTF8.self)
        #expect(text.ranges(of: "[redacted]").count == 4)
    }
}

// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@testable import RedactStage

@Suite struct KeyedStreamTests {
    private static let key = HMACSHA256(key: "one key".utf8.span)

    private func words(
        _ purpose: Purpose = .digits,
        _ attempt: UInt8 = 0,
        _ value: String = "value",
        _ key: HMACSHA256 = key
    ) -> [UInt32] {
        var stream = KeyedStream(key, purpose, attempt, value.utf8.span)
        return (0..<40).map { _ in stream.nextWord() }
    }

    @Test func aStreamDependsOnAllOfItsInputs() {
        let first = words()
        #expect(first == words())
        #expect(Set(first).count == first.count)
        for other in [
            words(.letters), words(.digits, 1), words(.digits, 0, "values"),
            words(.digits, 0, "value", HMACSHA256(key: "another".utf8.span)),
        ] {
            #expect(Set(first).isDisjoint(with: other))
        }
    }

    @Test func aStreamBeginsWithTheCodeOfItsMessage() {
        // printf '\1\0value' | openssl dgst -sha256 -hmac 'one key'
        #expect(words().prefix(2).map { String($0, radix: 16) } == ["511d3a47", "ff6cab40"])
    }

    @Test func numbersAreDistributedEvenly() {
        var stream = KeyedStream(Self.key, .digits, 0, "x".utf8.span)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 { counts[Int(stream.next(below: 10))] += 1 }
        #expect(counts.allSatisfy { 850...1150 ~= $0 }, "\(counts)")
    }
}

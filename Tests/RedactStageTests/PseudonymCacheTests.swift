// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct PseudonymCacheTests {
    private func found(_ value: String, _ kind: UInt8, _ memo: PseudonymCache) -> String? {
        var output = Array("x".utf8)
        guard memo.append(value.utf8.span, kind: kind, to: &output) else { return nil }
        return String(decoding: output.dropFirst(), as: UTF8.self)
    }

    @Test func aValueIsFoundByItsBytesAndItsKind() {
        var memo = PseudonymCache()
        #expect(found("a", 0, memo) == nil)
        memo.note("one".utf8.span, of: "a".utf8.span, kind: 0)
        memo.note("two".utf8.span, of: "a".utf8.span, kind: 1)
        memo.note("".utf8.span, of: "ab".utf8.span, kind: 0)
        #expect(found("a", 0, memo) == "one" && found("a", 1, memo) == "two")
        #expect(found("ab", 0, memo)?.isEmpty == true)
        #expect(found("A", 0, memo) == nil && found("ab", 1, memo) == nil)
    }

    @Test func longValuesAreNotKept() {
        var memo = PseudonymCache()
        let long = String(repeating: "a", count: PseudonymCache.longest + 1)
        memo.note("x".utf8.span, of: long.utf8.span, kind: 0)
        #expect(found(long, 0, memo) == nil)
        memo.note("x".utf8.span, of: long.dropLast().utf8.span, kind: 0)
        #expect(found(String(long.dropLast()), 0, memo) == "x")
    }

    @Test func theCacheIsBounded() {
        var memo = PseudonymCache()
        for number in 0..<3 * PseudonymCache.maxCount {
            memo.note("s\(number)".utf8.span, of: "v\(number)".utf8.span, kind: 0)
        }
        let kept = (0..<3 * PseudonymCache.maxCount).filter { number in
            let standIn = found("v\(number)", 0, memo)
            #expect(standIn == nil || standIn == "s\(number)")
            return standIn != nil
        }
        #expect(kept.count > PseudonymCache.maxCount / 2 && kept.count <= PseudonymCache.maxCount)
    }
}

// SPDX-License-Identifier: MIT

import Glibc
import TaplineConfig
import TaplineDetectors
import TaplinePlugin
import TestSupport
import Testing

@Suite("Scanning any input")
struct AnyInputTests {
    /// Texts that trigger checks: heads, and characters at which checks begin to read.
    private static let lures = [
        "@", "a@b.", "a:b@", "://a:b@", "://", "4", "4111 ", "4111-", "4111111111111111 ",
        "DE89 3704 ", "DE89", "eyJ", "eyJ.", "eyJhbGciOiJub25lIn0.", "AKIA", "AKIA ", "sk-", "sl.",
        "sl.a", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "PRIVATE KEY", "-",
        "Private-Lines: 1",
        "bearer ", "bearer a.", "basic YTpi", "Basic ", "heroku=", "session_token=A",
        "session_token",
        ";password=a", "user=;password=a", "password='", "pwd={", "\\", "%", "%41", "\\u0041",
        ":AA",
        "1:AA", "-us1", "xoxb-", "hooks.slack.com/services/", "Bot ", "\0", "\u{FF}", "+", "1.",
        ":1",
        "::", "(212) ",
    ]

    private static func everything(_ patterns: [String] = []) throws -> Scan {
        let names = (PluginRegistry.detectors.detectors?.detectors ?? []).map { Located($0.name) }
        return try Scan(
            DetectorChoice(
                names: names,
                patterns: patterns.enumerated().map { index, regex in
                    SecretPattern(name: "own\(index)", regex: Located(regex))
                }
            )
        )
    }

    /// Returns the processor time of this thread, in seconds.
    private static func time(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        body()
        return now() - start
    }

    @Test("takes linear time for texts that trigger checks", arguments: lures)
    func linear(lure: String) throws {
        let scan = try Self.everything()
        let unit = Array(lure.utf8)
        func text(_ count: Int) -> [UInt8] { (0..<count).map { unit[$0 % unit.count] } }
        let (short, long) = (text(3_000), text(24_000))
        _ = scan.ranges(short)
        let first = (0..<3).map { _ in Self.time { _ = scan.ranges(short) } }.min() ?? 0
        let second = Self.time { _ = scan.ranges(long) }
        #expect(second < max(first, 0.0005) * 30)
    }

    @Test("takes linear time for patterns that look far ahead")
    func patterns() throws {
        let scan = try Self.everything(["abc(.*xyz)?", "[a-c]{3}(.*xyz)?", "abc.*xyz"])
        func text(_ count: Int) -> [UInt8] { (0..<count).map { Array("abc".utf8)[$0 % 3] } }
        let (short, long) = (text(9_000), text(72_000))
        _ = scan.ranges(short)
        let first = (0..<3).map { _ in Self.time { _ = scan.ranges(short) } }.min() ?? 0
        let second = Self.time { _ = scan.ranges(long) }
        #expect(second < first * 30)
    }

    private func checkOrder(_ findings: [SecretFinding], _ count: Int, _ kinds: Int) {
        var last = 0
        for finding in findings {
            #expect(finding.start >= last && finding.start < finding.end && finding.end <= count)
            #expect(0..<kinds ~= finding.kind)
            last = finding.end
        }
    }

    @Test("accepts any bytes; findings are ordered, disjoint and within the text")
    func anyBytes() throws {
        let scan = try Self.everything(["[0-9]{3}", "key-[a-z]+", "(?i)Bearer (.)"])
        var generator = Random(seed: 85)
        let samples = Samples.all().map { Array(($0.before + $0.secret).utf8) }
        for round in 0..<1_000 {
            var bytes: [UInt8] = []
            while bytes.count < 300 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.append(UInt8.random(in: 0...255, using: &generator))
                case 1: bytes += Self.lures.randomElement(using: &generator)?.utf8.map(\.self) ?? []
                case 2:
                    let sample = samples.randomElement(using: &generator) ?? []
                    bytes += sample.prefix(Int.random(in: 0...sample.count, using: &generator))
                default:
                    let letter = UInt8.random(in: 0x20...0x7E, using: &generator)
                    bytes += Array(repeating: letter, count: round % 40)
                }
            }
            // Cuts the text at random, so that each check meets its end.
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
            checkOrder(scan.ranges(bytes), bytes.count, scan.set.kinds.count)
        }
    }

    @Test("finds a secret across the boundary of two blocks")
    func blocks() throws {
        let scan = try Scan(["github_token", "email", "card_number"])
        let secrets =
            ["gh" + "p_" + String(repeating: "a1", count: 18), "jane@shop.test"]
            + [CardNumberTests.numbers[0]]
        let text = " " + secrets.joined(separator: " ") + " "
        for offset in stride(from: (1 << 15) - text.count - 2, through: (1 << 15) + 2, by: 1) {
            let filler = String(repeating: ".", count: offset)
            #expect(scan.texts(filler + text) == secrets)
        }
    }

    @Test("does not depend on the previous text")
    func again() throws {
        let scan = try Self.everything(["key-[0-9]+"])
        for text in ["https://a:b@c.test/", "a:b@", "key-1 @ user=a;password=b;", "@c.test"] {
            let found = scan(text)
            #expect(try Self.everything(["key-[0-9]+"])(text) == found)
        }
    }
}

// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineRuntime
import TestSupport
import Testing

@testable import ReplaySource

@Suite("Broken records")
struct BrokenRecordsTests {
    @Test("are skipped, counted and logged with file, line and byte", arguments: [1, 3])
    func skips(workers: Int) async throws {
        let folder = try TemporaryFolder()
        var text = ""
        var places: [String] = []
        for number in 0..<3000 {
            if number % 500 == 250 {
                let line = text.utf8.count { $0 == 0x0A } + 1
                places.append("\(folder("a")):\(line): ")
                text += "{\"v\":1,\"secret\":hunter2}\n"
            }
            text += bareLine(number)
        }
        try folder.write(text, to: "a")
        let played = try await playRecording(
            "{ path: a, workers: \(workers), bad_records: skip }",
            in: folder
        )
        #expect(played.targets == (0..<3000).map { "/\($0)" })
        #expect(played.report.sources.first?.counters.rejected == 6)
        #expect(played.report.isSuccess)
        #expect(played.log.count == 5)
        for line in played.log {
            #expect(places.contains { line.hasPrefix("warning: \($0)") }, "\(line)")
            #expect(line.hasSuffix("; skipped"))
            #expect(!line.contains("hunter2"))
        }
    }

    @Test("are reported with the first invalid byte")
    func exactByte() async throws {
        let folder = try TemporaryFolder()
        let good = bareLine(0)
        try folder.write(good + "{\"v\":2,\"request\":{}}\n", to: "a")
        let played = try await playRecording("{ path: a }", in: folder)
        let failure = try #require(played.report.failures.first)
        let byte = good.utf8.count + 5
        #expect(
            failure
                == "source 'replay' failed: \(folder("a")):2: unknown record version; found 2, "
                + "expected 1 (byte \(byte))"
        )
    }

    @Test("may be too large")
    func tooLarge() async throws {
        let folder = try TemporaryFolder()
        let large = String(repeating: " ", count: 1000)
        try folder.write(bareLine(0) + large + bareLine(1) + bareLine(2), to: "a")
        let played = try await playRecording(
            "{ path: a, max_record_bytes: 500B, bad_records: skip }",
            in: folder
        )
        #expect(played.targets == ["/0", "/2"])
        #expect(played.log.count == 1 && played.log[0].contains("a:2: the record is too large"))
    }

    @Test("that a crash has cut off cause a warning", arguments: ["stop", "skip"])
    func cutOff(policy: String) async throws {
        let folder = try TemporaryFolder()
        let text = bareLine(0) + bareLine(1)
        let half = String(text.dropLast(20))
        try folder.write(half, to: "a")
        try folder.write(Array(text.utf8).coded(.gzip).dropLast(12).map { $0 }, to: "b")
        let played = try await playRecording(
            "{ path: [a, b], workers: 1, bad_records: \(policy) }",
            in: folder
        )
        #expect(played.targets.first == "/0")
        #expect(played.report.isSuccess)
        #expect(played.report.sources.first?.counters.rejected == 2)
        #expect(played.log.count == 2)
        #expect(played.log[0].hasPrefix("warning: \(folder("a")):2: "), "\(played.log)")
        #expect(played.log[1].contains("the gzip file is cut off"), "\(played.log)")
    }

    @Test("may be a whole file, which ends the run or is skipped")
    func otherFile() async throws {
        let folder = try TemporaryFolder()
        try folder.write("<html>", to: "a")
        try folder.write(bareLine(0), to: "b")
        let stopped = try await playRecording("{ path: [b, a, b] }", in: folder)
        #expect(stopped.targets == ["/0"])
        #expect(stopped.report.failures.first?.contains("not a recording") == true)
        let skipped = try await playRecording("{ path: [b, a, b], bad_records: skip }", in: folder)
        #expect(skipped.targets == ["/0", "/0"])
        #expect(skipped.report.sources.first?.counters.rejected == 1)
    }
}

// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import StdoutSink

@Suite struct StdoutSinkTests {
    let lines = StdoutFactory(format: .compact, maxBody: nil, colors: .auto, allowsColor: true)

    func batch(_ count: Int, _ path: String = "/") throws -> [Record] {
        try (0..<count).map { number in
            try record(exchange { $0.request.target = ByteString("\(path)\(number)") })
        }
    }

    @Test func writesABatchInOneCall() throws {
        let ends = try makePipe()
        let sink = StdoutSink(to: File(owning: ends.writing, named: "pipe"), lines, clock: utc)
        #expect(try sink.write(batch(512)) == .written)
        #expect(try sink.write([]) == .written)
        let reader = File(owning: ends.reading, named: "pipe")
        var bytes: [UInt8] = []
        // A pipe accepts a whole write up to its capacity.
        #expect(try reader.read(appendingTo: &bytes, atMost: 65_536) > 16_000)
        #expect(bytes.split(separator: 0x0A).count == 512)
        #expect(bytes.last == 0x0A)
    }

    @Test func endsWhenTheReaderHasGone() throws {
        let ends = try makePipe()
        let sink = StdoutSink(to: File(owning: ends.writing, named: "pipe"), lines, clock: utc)
        close(ends.reading)
        let error = #expect(throws: SinkError.self) { try sink.write(batch(1)) }
        #expect(error?.kind == .closed)
    }

    @Test func retriesOnAFullDisk() throws {
        let sink = StdoutSink(to: try File("/dev/full", for: .append), lines, clock: utc)
        let error = #expect(throws: SinkError.self) { try sink.write(batch(1)) }
        #expect(error?.kind == .passing)
        #expect(error?.message == "cannot write '/dev/full'; no space left on device")
    }
}

// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSegments
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineRuntime

@Suite("A queue on a full disk", .timeLimit(.minutes(1)))
struct FullDiskTests {
    private let folder: TemporaryFolder
    private var options = QueueOptions()

    init() throws {
        folder = try TemporaryFolder()
        options.disk = folder("queue")
        options.syncs = false
    }

    /// Writes as on a disk with this much room for the files of the queue.
    private func writing(capacity: Int) -> SegmentWriting {
        let path = folder("queue")
        var writing = SegmentWriting()
        writing.bytes = { file, bytes throws(FileError) in
            var used = 0
            for name in try FileSystem.names(in: path) {
                used += try FileSystem.status(of: "\(path)/\(name)")?.size ?? 0
            }
            guard used + bytes.count <= capacity else {
                throw FileError("write to", file.path, code: 28)
            }
            try file.write(bytes)
        }
        return writing
    }

    @Test(
        "passes each record once, in order, if the sink works",
        arguments: [160 << 10, 66 << 10]
    )
    func passes(capacity: Int) async throws {
        let budget = MemoryBudget(limit: 1 << 30)
        let disk = RecordLog(
            options,
            digests: false,
            budget: budget,
            writing: writing(capacity: capacity)
        )
        let sink = RecordingSink()
        let runner = SinkRunner(
            Topology.Sink(id: "a", sink, queue: options),
            log: .none,
            spill: spill(),
            disk: disk
        )
        let failure = await runner.start(now: { Timestamp(microseconds: 0) })
        #expect(failure == nil)
        let all = records(1500)
        for first in stride(from: 0, to: all.count, by: 500) {
            let batch = RecordBatch(Array(all[first..<first + 500]), memory: 0, budget: budget)
            _ = runner.queue.submit(batch, isLive: false) {}
        }
        runner.queue.close()
        let hasEnded = await runner.wait(atMost: Microseconds(.seconds(30)))
        #expect(hasEnded)
        #expect(sink.log.exchanges.map(\.id) == all.map(\.exchange.id))
        #expect(runner.queue.counters.written == 1500 && runner.queue.counters.kept == 0)
        runner.abandon()
    }
}

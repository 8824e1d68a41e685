// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineOperations
import Testing

@testable import TaplineControl

@Suite("What is blocked")
struct BlockageTests {
    private func status(_ change: (inout PipelineStatus) -> Void) -> PipelineStatus {
        let pipeline = ControlledPipeline.running()
        pipeline.set(change)
        return pipeline.status
    }

    private let since = Timestamp(microseconds: 1_800_000_000_000_000)

    @Test("is nothing while all components run")
    func nothing() {
        let status = status { _ in }
        #expect(status.blockages == [])
        #expect(status.obstacles == [])
    }

    @Test("is a source whose sink has a full queue")
    func fullQueue() {
        let status = status { status in
            status.components[0].state = .waiting
            status.components[0].since = since
            status.components[2].queue?.records = 8192
            status.components[2].queue?.waiting = 1
        }
        #expect(
            status.blockages.map(\.text) == [
                "source 'replay' waits for sink 'ndjson': its queue is full (8192 of 8192 records, "
                    + "0 of 0 bytes), since 2027-01-15T08:00:00.000000Z"
            ]
        )
        #expect(status.obstacles == [])
    }

    @Test("is a sink that fails, with its reason", arguments: [ComponentState.failing, .degraded])
    func failing(state: ComponentState) {
        let status = status { status in
            status.components[2].state = state
            status.components[2].reason = "cannot write 'a'; no space left on device"
            status.components[2].queue?.spillRecords = 1
        }
        let text =
            "sink 'ndjson' is \(state.rawValue): cannot write 'a'; no space left on device; "
            + "2 records wait, 1 of them on disk"
        #expect(status.blockages.map(\.text) == [text])
        #expect(status.obstacles.isEmpty == (state == .failing))
    }

    @Test("is a sink that a reload has removed, or that is not open")
    func retired() {
        let draining = status { $0.components[2].state = .draining }
        #expect(
            draining.blockages.map(\.text) == [
                "sink 'ndjson', which a reload has removed, still has 2 records to write"
            ]
        )
        let starting = status { status in
            status.components[2].state = .starting
            status.components[2].reason = "it cannot be opened: no such folder"
        }
        #expect(
            starting.blockages.map(\.text) == [
                "sink 'ndjson' is not open: it cannot be opened: no such folder; 2 records wait"
            ]
        )
    }

    @Test("is a stage that has not given its verdict for a second", arguments: [0, 999, 1000])
    func pending(milliseconds: Int64) {
        let status = status { status in
            status.components[1].pending = 3
            status.components[1].pendingSince =
                Timestamp(microseconds: status.now.microseconds - milliseconds * 1000)
        }
        let text =
            "3 records wait for the verdict of stage 'redact', since 2027-01-15T08:00:09.000000Z"
        #expect(status.blockages.map(\.text) == (milliseconds < 1000 ? [] : [text]))
    }

    @Test("is a spill without room, and memory that is used up")
    func full() {
        let status = status { status in
            status.components[2].queue?.isSpillFull = true
            status.memory = status.memoryLimit
        }
        #expect(status.blockages.map(\.cause) == ["disk", "memory"])
    }

    @Test("keeps the pipeline from being ready until all listens, and while it drains")
    func obstacles() {
        let starting = status { status in
            status.hasStarted = false
            status.components[0].state = .starting
        }
        #expect(
            starting.obstacles == [
                "the sinks are not open yet", "source 'replay' does not listen yet",
            ]
        )
        #expect(status { $0.isDraining = true }.obstacles == ["the pipeline is draining"])
    }
}

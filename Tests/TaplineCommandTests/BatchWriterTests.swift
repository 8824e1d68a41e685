// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import Testing

@testable import TaplineCommand

/// An output that notes its calls, and waits or fails where a test wants it.
private final class NotedOutput: BatchOutput {
    struct Failure: Error {}

    final class Notes: Sendable {
        private let calls = Mutex<[String]>([])
        /// Signalled when the output begins to write a batch.
        let hasBegun = DispatchSemaphore(value: 0)
        /// The output waits for it in each batch.
        let mayGoOn = DispatchSemaphore(value: 0)
        let failsIn: String

        init(failsIn: String = "") { self.failsIn = failsIn }

        var all: [String] { calls.withLock { $0 } }

        func add(_ call: String) throws {
            calls.withLock { $0.append(call) }
            if call == failsIn { throw Failure() }
        }

        func waitForBatch() -> Bool { hasBegun.wait(timeout: .now() + 60) == .success }
    }

    private let notes: Notes

    init(_ notes: Notes) { self.notes = notes }

    func write(_ batch: [Record]) throws {
        notes.hasBegun.signal()
        _ = notes.mayGoOn.wait(timeout: .now() + 60)
        try notes.add("write \(batch.count)")
    }

    func finish() throws { try notes.add("finish") }

    func abandon() { try? notes.add("abandon") }
}

@Suite("A writer with a thread of its own")
struct BatchWriterTests {
    private func batch(_ count: Int) -> [Record] {
        var chain = RecordChain()
        return (0..<count).compactMap { number in
            if case .sealed(let record) = chain.seal(.example(number)) { record } else { nil }
        }
    }

    private func writer(_ notes: NotedOutput.Notes) throws -> BatchWriter {
        try BatchWriter { NotedOutput(notes) }
    }

    @Test("writes all batches in order and completes the output before 'finish' returns")
    func order() throws {
        let notes = NotedOutput.Notes()
        let writer = try writer(notes)
        for count in 1...5 {
            notes.mayGoOn.signal()
            try writer.write(batch(count))
        }
        try writer.finish()
        #expect(notes.all == ["write 1", "write 2", "write 3", "write 4", "write 5", "finish"])
        writer.abandon()
        #expect(notes.all.count == 6)
    }

    @Test("lets the caller go on while it writes a batch, and wait with another one")
    func backPressure() throws {
        let notes = NotedOutput.Notes()
        let writer = try writer(notes)
        try writer.write(batch(1))
        #expect(notes.waitForBatch())
        // The call returned while the batch is being written.
        #expect(notes.all == [])
        let second = batch(2)
        let written = Mutex<[String]>([])
        let isCalling = DispatchSemaphore(value: 0)
        let caller = try DedicatedThread.start {
            isCalling.signal()
            try? writer.write(second)
            written.withLock { $0 = notes.all }
        }
        #expect(isCalling.wait(timeout: .now() + 60) == .success)
        notes.mayGoOn.signal()
        caller.join()
        // The call returned only after the first batch was written.
        #expect(written.withLock { $0 } == ["write 1"])
        notes.mayGoOn.signal()
        try writer.finish()
        #expect(notes.all == ["write 1", "write 2", "finish"])
    }

    @Test("throws the error of a batch from a later call, and closes the output")
    func failure() throws {
        let notes = NotedOutput.Notes(failsIn: "write 1")
        let writer = try writer(notes)
        notes.mayGoOn.signal()
        #expect(throws: NotedOutput.Failure.self) {
            // The first batches may be passed before the thread fails.
            for _ in 0..<4 { try writer.write(batch(1)) }
        }
        #expect(throws: NotedOutput.Failure.self) { try writer.write(batch(2)) }
        #expect(throws: NotedOutput.Failure.self) { try writer.finish() }
        #expect(notes.all == ["write 1", "abandon"])
    }

    @Test("throws the error of the last batch, or of the end, from 'finish'")
    func failureAtEnd() throws {
        for step in ["write 1", "finish"] {
            let notes = NotedOutput.Notes(failsIn: step)
            let writer = try writer(notes)
            notes.mayGoOn.signal()
            try writer.write(batch(1))
            #expect(throws: NotedOutput.Failure.self) { try writer.finish() }
            #expect(notes.all.last == "abandon")
        }
    }

    @Test("throws the error of opening at once")
    func failureToOpen() {
        #expect(throws: NotedOutput.Failure.self) {
            _ = try BatchWriter { throw NotedOutput.Failure() }
        }
    }

    @Test("is abandoned after the batch that it writes")
    func abandoned() throws {
        let notes = NotedOutput.Notes()
        let writer = try writer(notes)
        try writer.write(batch(1))
        #expect(notes.waitForBatch())
        let end = try DedicatedThread.start { writer.abandon() }
        notes.mayGoOn.signal()
        end.join()
        #expect(notes.all == ["write 1", "abandon"])
    }
}

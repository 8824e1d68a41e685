// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplineModel
public import TaplinePlugin

/// A sink that stores what it receives for inspection by a test; on request it fails.
public struct RecordingSink: SinkFactory {
    /// The calls that a sink has received.
    ///
    /// Any thread may read it.
    public final class Log: Sendable {
        private struct State {
            var records: [Record] = []
            var batches: [Int] = []
            var opened: [ActiveExchange] = []
            var ended: [ExchangeID] = []
            var calls: [String] = []
            var failures: [any Error] = []
        }

        private let state = Mutex(State())

        /// Creates an empty log.
        public init() {}

        /// All records, in the order in which they were written.
        public var records: [Record] { state.withLock { $0.records } }
        /// The exchanges of all records.
        public var exchanges: [Exchange] { records.map(\.exchange) }
        /// The size of each batch.
        public var batches: [Int] { state.withLock { $0.batches } }
        /// The exchanges that were reported as begun.
        public var opened: [ActiveExchange] { state.withLock { $0.opened } }
        /// The exchanges that were reported as ended.
        public var ended: [ExchangeID] { state.withLock { $0.ended } }
        /// The calls other than `write`: `open`, `flush`, `sync`, `reopen`, `close`.
        public var calls: [String] { state.withLock { $0.calls } }

        /// Makes the next writes fail, one for each error.
        public func fail(with errors: [any Error]) {
            state.withLock { $0.failures += errors }
        }

        fileprivate func write(_ batch: [Record]) throws {
            try state.withLock {
                if !$0.failures.isEmpty { throw $0.failures.removeFirst() }
                $0.records += batch
                $0.batches.append(batch.count)
            }
        }

        fileprivate func call(_ name: String) {
            state.withLock { $0.calls.append(name) }
        }

        fileprivate func active(_ opened: [ActiveExchange], _ ended: [ExchangeID]) {
            state.withLock {
                $0.opened += opened
                $0.ended += ended
            }
        }
    }

    /// The calls that the sink has received.
    public let log: Log
    /// Whether records need the digests of their bodies.
    public let needsDigests: Bool
    /// Whether the sink is notified of exchanges that have not ended.
    public let wantsActive: Bool
    /// The most records of a batch.
    public let batchLimit: Int
    private let beforeWrite: @Sendable () -> Void

    /// Creates a sink; the closure is called on its thread before each write.
    public init(
        _ log: Log = Log(),
        needsDigests: Bool = false,
        wantsActive: Bool = false,
        batchLimit: Int = 512,
        beforeWrite: @escaping @Sendable () -> Void = {}
    ) {
        self.log = log
        self.needsDigests = needsDigests
        self.wantsActive = wantsActive
        self.batchLimit = batchLimit
        self.beforeWrite = beforeWrite
    }

    /// Opens the sink.
    public func open(_ context: SinkContext) throws -> any Sink {
        log.call("open")
        return Open(log, beforeWrite)
    }

    private final class Open: Sink {
        private let log: Log
        private let beforeWrite: @Sendable () -> Void

        init(_ log: Log, _ beforeWrite: @escaping @Sendable () -> Void) {
            self.log = log
            self.beforeWrite = beforeWrite
        }

        func write(_ batch: [Record]) throws -> WriteResult {
            beforeWrite()
            try log.write(batch)
            return .written
        }

        func flush() throws { log.call("flush") }
        func sync() throws { log.call("sync") }
        func reopen() throws { log.call("reopen") }
        func close() throws { log.call("close") }

        func active(opened: [ActiveExchange], ended: [ExchangeID]) throws {
            log.active(opened, ended)
        }
    }
}

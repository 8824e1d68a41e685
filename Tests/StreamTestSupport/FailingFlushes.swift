// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplinePlugin

/// Another sink, whose first flushes fail, also after it was opened again.
package final class FailingFlushes: SinkFactory {
    private let sink: any SinkFactory
    private let left: Mutex<Int>

    package init(of sink: any SinkFactory, count: Int) {
        self.sink = sink
        left = Mutex(count)
    }

    package var batchLimit: Int { sink.batchLimit }

    package func open(_ context: SinkContext) throws -> any Sink {
        Opened(self, try sink.open(context))
    }

    private final class Opened: Sink {
        private let owner: FailingFlushes
        private let sink: any Sink

        init(_ owner: FailingFlushes, _ sink: any Sink) {
            self.owner = owner
            self.sink = sink
        }

        func write(_ batch: [Record]) throws -> WriteResult { try sink.write(batch) }

        func flush() throws {
            let fails = owner.left.withLock { left in
                left -= 1
                return left >= 0
            }
            if fails { throw SinkError(.passing, "no space left on device") }
            try sink.flush()
        }
    }
}

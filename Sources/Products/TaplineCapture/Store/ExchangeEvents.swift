// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplinePlugin

/// The exchanges that a tap captures, as they happen.
///
/// **Shape**: from the call until the tap stops; if the tap does not run, from its next start. Each
/// sequence is for one reader; create one for each of several readers.
/// **Limits**: events wait for a slow reader, up to a number of events; then new events replace the
/// oldest, and the reader receives the number of lost events. The app never waits for a reader.
public struct ExchangeEvents: AsyncSequence, Sendable {
    /// An event of the traffic.
    public enum Event: Sendable {
        /// An exchange has begun.
        case began(ActiveExchange)
        /// An exchange has ended and the stages have cleaned it; an exchange that a stage drops has
        /// no such event.
        case ended(Record)
        /// The number of events that were lost because the reader was too slow.
        case missed(Int)
    }

    /// The sequence never throws.
    public typealias Failure = Never

    fileprivate let stream: AsyncStream<Event>
    fileprivate let missed: MissedCount

    /// Reads the events.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), missed: missed)
    }

    /// Reads the events in order.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Event>.Iterator
        fileprivate let missed: MissedCount

        /// Returns the next event; `nil` once the tap has stopped.
        public mutating func next() async -> Event? {
            await next(isolation: nil)
        }

        /// Returns the next event; `nil` once the tap has stopped.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            // The lost events are older than all that are still buffered.
            let count = missed.take()
            return count > 0 ? .missed(count) : await base.next(isolation: actor)
        }
    }
}

/// The number of events that a reader has lost and that have not been reported to it.
private final class MissedCount: Sendable {
    private let count = Atomic<Int>(0)

    func note() { count.wrappingAdd(1, ordering: .relaxed) }
    func take() -> Int { count.exchange(0, ordering: .relaxed) }
}

/// Passes events to all readers of a tap.
///
/// **Isolation**: any thread; one call at a time.
final class ExchangeFeed: Sendable {
    private struct Reader {
        let continuation: AsyncStream<ExchangeEvents.Event>.Continuation
        let missed: MissedCount
    }

    private struct State {
        var count = 0
        var readers: [Int: Reader] = [:]
    }

    private let state = Mutex(State())

    /// Adds a reader that receives events from now on; the limit is the size of its buffer.
    func events(buffering limit: Int) -> ExchangeEvents {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ExchangeEvents.Event.self,
            bufferingPolicy: .bufferingNewest(max(limit, 1))
        )
        let reader = Reader(continuation: continuation, missed: MissedCount())
        let number = state.withLock { state in
            state.count += 1
            state.readers[state.count] = reader
            return state.count
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.readers[number] = nil }
        }
        return ExchangeEvents(stream: stream, missed: reader.missed)
    }

    /// The number of readers.
    var readerCount: Int { state.withLock { $0.readers.count } }

    func send(_ events: some Sequence<ExchangeEvents.Event>) {
        let readers = state.withLock { Array($0.readers.values) }
        guard !readers.isEmpty else { return }
        for event in events {
            for reader in readers {
                if case .dropped = reader.continuation.yield(event) { reader.missed.note() }
            }
        }
    }

    /// Ends the sequences of all readers.
    func finish() {
        // Each reader that ends removes itself from the list.
        for reader in state.withLock({ Array($0.readers.values) }) { reader.continuation.finish() }
    }
}

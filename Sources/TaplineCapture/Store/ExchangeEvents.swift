// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplinePlugin

/// What a tap captures, as it happens.
///
/// **Shape**: from the moment it was asked for until the tap stops; who asks while it does not run waits
/// for the next run. Each is for one reader; ask the
/// tap for one more where there are several.
/// **Limits**: what a reader has not taken yet waits for it, up to a number of events; then the
/// oldest of them give way to new ones, and the reader is told how many it has missed. The app never
/// waits for a reader.
public struct ExchangeEvents: AsyncSequence, Sendable {
    /// What happens.
    public enum Event: Sendable {
        /// An exchange has begun.
        case began(ActiveExchange)
        /// An exchange has ended, and the stages have cleaned it; one that a stage drops never comes
        /// here.
        case ended(Record)
        /// So many events came while the reader was behind, and are lost to it.
        case missed(Int)
    }

    /// Never: it just ends.
    public typealias Failure = Never

    fileprivate let stream: AsyncStream<Event>
    fileprivate let missed: Missed

    /// Reads the events.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), missed: missed)
    }

    /// Reads the events, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Event>.Iterator
        fileprivate let missed: Missed

        /// The next event; nothing once the tap has stopped.
        public mutating func next() async -> Event? {
            await next(isolation: nil)
        }

        /// The next event; nothing once the tap has stopped.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            // What was lost is older than all that waits.
            let count = missed.take()
            return count > 0 ? .missed(count) : await base.next(isolation: actor)
        }
    }
}

/// How many events a reader has lost and not heard of.
private final class Missed: Sendable {
    private let count = Atomic<Int>(0)

    func note() { count.wrappingAdd(1, ordering: .relaxed) }
    func take() -> Int { count.exchange(0, ordering: .relaxed) }
}

/// Tells all readers of a tap.
///
/// **Isolation**: any thread; one at a time tells.
final class ExchangeFeed: Sendable {
    private struct Reader {
        let continuation: AsyncStream<ExchangeEvents.Event>.Continuation
        let missed: Missed
    }

    private struct State {
        var count = 0
        var readers: [Int: Reader] = [:]
    }

    private let state = Mutex(State())

    /// A reader that is told from now on; up to so many events wait for it.
    func events(buffering limit: Int) -> ExchangeEvents {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ExchangeEvents.Event.self,
            bufferingPolicy: .bufferingNewest(max(limit, 1))
        )
        let reader = Reader(continuation: continuation, missed: Missed())
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

    /// How many there are to tell.
    var readerCount: Int { state.withLock { $0.readers.count } }

    func tell(_ events: some Sequence<ExchangeEvents.Event>) {
        let readers = state.withLock { Array($0.readers.values) }
        guard !readers.isEmpty else { return }
        for event in events {
            for reader in readers {
                if case .dropped = reader.continuation.yield(event) { reader.missed.note() }
            }
        }
    }

    /// Nothing will happen any more.
    func finish() {
        // Each reader that ends takes itself off the list.
        for reader in state.withLock({ Array($0.readers.values) }) { reader.continuation.finish() }
    }
}

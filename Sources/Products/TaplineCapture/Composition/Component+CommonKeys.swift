// SPDX-License-Identifier: MIT

// The keys that all components share.

extension Component {
    /// Limits this component to the exchanges that match a filter.
    public func when(_ filter: String) -> Component { adding("when", .text(filter)) }

    /// Sets the id of this component, which logs and counters show.
    public func id(_ id: String) -> Component { adding("id", .text(id)) }

    /// Lets this stage see whole bodies of these messages, up to a size in bytes; by default 1 MiB.
    public func buffer(_ messages: [Buffered], maxBuffer: Int? = nil) -> Component {
        let buffering = adding("buffer", .texts(messages.map(\.rawValue)))
        return maxBuffer.map { buffering.adding("max_buffer", .bytes($0)) } ?? buffering
    }

    /// What happens to a request when a hook of a stage fails.
    public struct Failure: Sendable {
        fileprivate let name: String

        /// The request continues unchanged, with a tag.
        public static let pass = Failure(name: "pass")
        /// The request is answered with 502, naming the stage.
        public static let respond = Failure(name: "respond")
        /// The connection of the request is closed.
        public static let abort = Failure(name: "abort")
    }

    /// Sets what happens when a hook of this stage fails.
    public func onError(_ failure: Failure) -> Component { adding("on_error", .text(failure.name)) }

    /// What happens when the queue of a sink is full.
    public struct Overflow: Sendable {
        fileprivate let name: String

        /// Exchanges that do not fit are moved to disk; an app never waits.
        public static let block = Overflow(name: "block")
        /// New exchanges are dropped.
        public static let dropNewest = Overflow(name: "drop_newest")
        /// The exchanges that have waited longest are dropped.
        public static let dropOldest = Overflow(name: "drop_oldest")
    }

    /// Sets the size of this sink's queue.
    ///
    /// - Parameters:
    ///   - maxExchanges: The most exchanges that wait; by default 8192.
    ///   - maxBytes: The most bytes that wait; by default 64 MiB.
    ///   - overflow: What happens when the queue is full.
    ///   - spillMaxBytes: The most bytes that wait on disk; by default 1 GiB, 0 for none.
    /// - Returns: The sink.
    public func queue(
        maxExchanges: Int? = nil,
        maxBytes: Int? = nil,
        overflow: Overflow = .block,
        spillMaxBytes: Int? = nil
    ) -> Component {
        var list = OptionList()
        list.set("max_exchanges", maxExchanges.map(Value.number))
        list.set("max_bytes", maxBytes.map(Value.bytes))
        list.set("overflow", .text(overflow.name))
        list.set("spill_max_bytes", spillMaxBytes.map(Value.bytes))
        return adding("queue", list.map)
    }

    /// Sets the delays before this sink retries a failed batch.
    ///
    /// - Parameters:
    ///   - initial: The first delay, which doubles each time; by default 50 ms.
    ///   - maxInterval: The longest delay; by default 5 s.
    ///   - maxElapsed: How long the sink may fail before it counts as degraded; by default 30 s.
    /// - Returns: The sink.
    public func retry(
        initial: Duration? = nil,
        maxInterval: Duration? = nil,
        maxElapsed: Duration? = nil
    ) -> Component {
        var list = OptionList()
        list.set("initial", initial.map(Value.time))
        list.set("max_interval", maxInterval.map(Value.time))
        list.set("max_elapsed", maxElapsed.map(Value.time))
        return adding("retry", list.map)
    }
}

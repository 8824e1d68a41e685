// SPDX-License-Identifier: MIT

// What stands beside a component's own options.

extension Component {
    /// This component for the exchanges that a filter chooses.
    public func when(_ filter: String) -> Component { adding("when", .text(filter)) }

    /// This component under a name of its own, which logs and counters show.
    public func id(_ id: String) -> Component { adding("id", .text(id)) }

    /// This stage with whole bodies of these messages, up to so many bytes; 1 MiB where they are left
    /// out.
    public func buffer(_ messages: [Buffered], upTo maxBytes: Int? = nil) -> Component {
        let buffering = adding("buffer", .texts(messages.map(\.rawValue)))
        return maxBytes.map { buffering.adding("max_buffer", .bytes($0)) } ?? buffering
    }

    /// What becomes of a request when a hook of a stage fails.
    public struct Failure: Sendable {
        fileprivate let name: String

        /// It goes on as it is, tagged.
        public static let pass = Failure(name: "pass")
        /// It is answered with 502, naming the stage.
        public static let respond = Failure(name: "respond")
        /// Its connection is broken off.
        public static let abort = Failure(name: "abort")
    }

    /// This stage, when a hook of it fails.
    public func onError(_ failure: Failure) -> Component { adding("on_error", .text(failure.name)) }

    /// What happens when the queue of a sink is full.
    public struct Overflow: Sendable {
        fileprivate let name: String

        /// What does not fit is moved to the disk; an app never waits.
        public static let block = Overflow(name: "block")
        /// What comes is dropped.
        public static let dropNewest = Overflow(name: "drop_newest")
        /// What has waited longest is dropped.
        public static let dropOldest = Overflow(name: "drop_oldest")
    }

    /// This sink with a queue of another size.
    ///
    /// - Parameters:
    ///   - maxExchanges: The most exchanges that wait; 8192 where it is left out.
    ///   - maxBytes: The most bytes that wait; 64 MiB where it is left out.
    ///   - overflow: What happens when it is full.
    ///   - spillMaxBytes: The most bytes that wait on the disk; 1 GiB where it is left out, 0 for none.
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

    /// This sink with other pauses before a failed batch is tried again.
    ///
    /// - Parameters:
    ///   - initial: The first pause, which doubles each time; 50 ms where it is left out.
    ///   - maxInterval: The longest pause; 5 s where it is left out.
    ///   - maxElapsed: How long it may fail before it counts as degraded; 30 s where it is left out.
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

// SPDX-License-Identifier: MIT

/// Which thread reads the answers of a child: one that waits for an answer, or the connection's.
///
/// ```
/// closed ──opened──▶ idle ◀──left── caller ──left──▶ caller (the next one)
///    ▲                │ ──called──▶   │
///    └────closed──────┴──────closed───┘
///
/// any ──calledUnawaited──▶ thread
/// ```
///
/// A caller that reads its answer itself gets it two context switches sooner than one that is woken
/// by another thread. It reads the answers of other callers too, until it has its own; the next one
/// reads then. The connection's thread reads until a child has said hello, and again from the first
/// call on that nobody waits for.
struct AnswerReaders<Caller, Output>: ~Copyable {
    /// A caller that reads, and what it reads.
    struct Reader {
        let caller: Caller
        let output: Output
    }

    private enum State {
        /// No child has said hello. Callers wait.
        case closed
        /// No caller waits.
        case idle(Output)
        /// The caller with this number reads.
        case caller(UInt64, Reader)
        /// Callers wait from now on.
        case thread
    }

    private var state: State
    /// The callers that do not read, by the numbers of their calls.
    private var waiting: [UInt64: Caller] = [:]

    /// Creates readers for a connection without a child.
    ///
    /// - Parameter onlyThread: Whether its thread reads always.
    init(onlyThread: Bool = false) { state = onlyThread ? .thread : .closed }

    /// Whether the connection's thread has to read whatever the child writes.
    var needThread: Bool {
        switch state {
        case .closed, .thread: true
        case .idle, .caller: false
        }
    }

    /// A child has said hello.
    ///
    /// - Returns: The caller that reads.
    mutating func opened(_ output: Output) -> Reader? {
        guard case .closed = state else { return nil }
        return pass(output)
    }

    /// The output of the child is read to its end, or is no longer usable.
    ///
    /// - Returns: The caller that has read it, and has to wait now.
    mutating func closed() -> Reader? {
        switch state {
        case .closed, .thread: return nil
        case .idle:
            state = .closed
            return nil
        case .caller(let number, let reader):
            state = .closed
            waiting[number] = reader.caller
            return reader
        }
    }

    /// A caller waits for the answer to its call.
    ///
    /// - Returns: What it reads; `nil` if it waits.
    mutating func called(_ number: UInt64, _ caller: Caller) -> Output? {
        guard case .idle(let output) = state else {
            waiting[number] = caller
            return nil
        }
        state = .caller(number, Reader(caller: caller, output: output))
        return output
    }

    /// A call was made that nobody waits for.
    ///
    /// - Returns: Whether the connection's thread has to begin to read. A caller that reads goes on.
    mutating func calledUnawaited() -> Bool {
        let begins = !needThread
        state = .thread
        return begins
    }

    /// A caller has its answer, or knows that there is none.
    ///
    /// - Returns: The caller that reads instead.
    mutating func left(_ number: UInt64) -> Reader? {
        guard case .caller(number, let reader) = state else {
            waiting[number] = nil
            return nil
        }
        return pass(reader.output)
    }

    /// Lets the first of the callers read.
    private mutating func pass(_ output: Output) -> Reader? {
        guard let number = waiting.keys.min(), let caller = waiting.removeValue(forKey: number)
        else {
            state = .idle(output)
            return nil
        }
        let reader = Reader(caller: caller, output: output)
        state = .caller(number, reader)
        return reader
    }
}

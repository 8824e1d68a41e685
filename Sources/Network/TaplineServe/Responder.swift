// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet

/// Answers one request, now or later.
///
/// If it is released without an answer, the client gets 500.
///
/// **Isolation**: any thread; the first answer counts.
package final class Responder: Sendable {
    private struct State {
        var isAnswered = false
        var isAbandoned = false
        var abandoned: (@Sendable () -> Void)?
    }

    private let connection: ServedConnection
    private let number: Int
    private let state = Mutex(State())

    init(_ connection: ServedConnection, _ number: Int) {
        self.connection = connection
        self.number = number
    }

    deinit {
        guard !state.withLock({ $0.isAnswered }) else { return }
        let response = ServedResponse(500, text: "the request was not answered\n")
        let (connection, number) = (connection, number)
        connection.loop.execute { connection.answer(number, response) }
    }

    /// Sends the whole response.
    package func send(_ response: ServedResponse) {
        guard take() else { return }
        let (connection, number) = (connection, number)
        connection.loop.execute { connection.answer(number, response) }
    }

    /// Begins a response whose body is written piece by piece.
    ///
    /// - Parameter response: The head; its body is ignored.
    /// - Returns: What takes the body; it is closed if there is an answer already.
    package func stream(_ response: ServedResponse) -> ResponseStream {
        let stream = ResponseStream(connection, number)
        guard take() else {
            stream.abandon()
            return stream
        }
        let (connection, number) = (connection, number)
        if !connection.loop.execute({ connection.begin(number, response, stream) }) {
            stream.abandon()
        }
        return stream
    }

    /// Sets what is called once if the client does not wait for the answer any more; at once if
    /// that is so already.
    package func whenAbandoned(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isAbandoned { state.abandoned = action }
            return state.isAbandoned
        }
        if isLate { action() }
    }

    func abandon() {
        let action = state.withLock { state in
            state.isAbandoned = true
            return state.abandoned.take()
        }
        action?()
    }

    private func take() -> Bool {
        state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
    }
}

// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet
internal import TaplineSystem

/// Takes the password of a page, and slows down clients that guess.
///
/// **Isolation**: any thread.
final class PasswordLogin: Sendable {
    private struct State {
        var attempts = LoginAttempts()
        /// How many wrong passwords were reported.
        var reported = 0
        /// When they were, in microseconds of the steady clock.
        var time = Int64.min
        /// The last client with a wrong password.
        var client: IPAddress?
    }

    /// How often wrong passwords are reported at most, in microseconds.
    private static let pause: Int64 = 1_000_000

    private let password: AccessPassword
    private let log: @Sendable (String) -> Void
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())

    init(
        _ password: AccessPassword,
        _ log: @escaping @Sendable (String) -> Void,
        now: @escaping @Sendable () -> Int64 = { SteadyClock.microseconds }
    ) {
        self.password = password
        self.log = log
        self.now = now
    }

    /// Checks a password.
    ///
    /// - Parameters:
    ///   - text: The password; `nil` if the client has sent none, such as a token.
    ///   - client: The address of the client.
    /// - Throws: `APIError` if it is wrong, or if the client has to wait, whatever it has sent.
    func check(_ text: String?, from client: IPAddress?) throws(APIError) {
        guard let text else { throw Self.refusal("the page asks for a password here") }
        let time = now()
        let outcome = state.withLock { state -> APIError? in
            let wait = state.attempts.wait(of: client, at: time)
            if wait > 0 { return Self.tooMany(wait) }
            if password.matches(text) {
                state.attempts.succeeded(client)
                return nil
            }
            state.attempts.failed(client, at: time)
            state.client = client
            return Self.refusal("the password is wrong")
        }
        if let outcome { throw outcome }
    }

    /// Logs how many passwords were wrong, once a second at most; called now and then.
    func report() {
        let time = now()
        let text = state.withLock { state -> String? in
            let wrong = state.attempts.wrong
            guard wrong > state.reported, time - Self.pause >= state.time else { return nil }
            let new = wrong - state.reported
            state.reported = wrong
            state.time = time
            let client = state.client.map { " from \($0)" } ?? ""
            let count = new == 1 ? "a wrong password" : "\(new) wrong passwords, the last one"
            return "\(count)\(client); \(wrong) so far"
        }
        if let text { log(text) }
    }

    private static func refusal(_ message: String) -> APIError {
        var error = APIError(401, "password", message)
        error.login = "password"
        return error
    }

    private static func tooMany(_ wait: Int64) -> APIError {
        let seconds = Int(clamping: (wait + 999_999) / 1_000_000)
        let text = "too many wrong passwords; try again in \(seconds) s"
        var error = APIError(429, "too_many", text)
        error.retryAfter = seconds
        return error
    }
}

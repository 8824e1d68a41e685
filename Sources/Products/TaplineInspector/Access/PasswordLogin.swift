// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet
internal import TaplineServe
internal import TaplineSystem

/// Takes the password of a page, and slows down clients that guess.
///
/// A browser that has logged in gets a second cookie. Its later logins are counted by that cookie and not
/// by its address, so guesses from the same address do not delay them.
///
/// **Isolation**: any thread.
final class PasswordLogin: Sendable {
    private struct State {
        var attempts = LoginAttempts()
        /// The cookies of browsers that have logged in, the oldest first.
        var browsers: [[UInt8]] = []
        /// How many wrong passwords were reported.
        var reported = 0
        /// When they were, in microseconds of the steady clock.
        var time = Int64.min
        /// The last client with a wrong password.
        var client: IPAddress?
    }

    /// How often wrong passwords are reported at most, in microseconds.
    private static let pause: Int64 = 1_000_000
    /// How many browsers are remembered.
    private static let maxBrowsers = 64
    /// How long browsers keep the cookie, in seconds: 30 days.
    private static let lifetime = 2_592_000

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
    ///   - cookies: What the client has sent as the cookie of a browser that has logged in before.
    /// - Throws: `APIError` if it is wrong, or if the client has to wait, whatever it has sent.
    func check(
        _ text: String?,
        from client: IPAddress?,
        cookies: [[UInt8]] = []
    ) throws(APIError) {
        guard let text else { throw Self.refusal("the page asks for a password here") }
        let time = now()
        let outcome = state.withLock { state -> APIError? in
            let known = state.browsers.first { browser in
                cookies.contains { AccessRules.areEqual($0, browser) }
            }
            let counted = known.map { .browser($0) } ?? LoginAttempts.Client(client)
            let wait = state.attempts.wait(of: counted, at: time)
            if wait > 0 { return Self.tooMany(wait) }
            if password.matches(text) {
                state.attempts.succeeded(counted)
                return nil
            }
            state.attempts.failed(counted, at: time)
            state.client = client
            return Self.refusal("the password is wrong")
        }
        if let outcome { throw outcome }
    }

    /// The name of the cookie of browsers that have logged in, beside that of the sessions.
    static func cookie(beside name: String) -> String { "\(name)-known" }

    /// Remembers a browser that has logged in.
    ///
    /// - Parameter name: The name of the cookie of the sessions.
    /// - Returns: The value of Set-Cookie.
    func remember(beside name: String) -> String {
        let value = Sessions.secret()
        state.withLock { state in
            state.browsers.append(value)
            if state.browsers.count > Self.maxBrowsers { state.browsers.removeFirst() }
        }
        return "\(Self.cookie(beside: name))=\(String(decoding: value, as: UTF8.self)); HttpOnly; "
            + "SameSite=Strict; Path=/api/login; Max-Age=\(Self.lifetime); Secure"
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

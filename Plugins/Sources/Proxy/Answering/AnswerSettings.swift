// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel
internal import TaplineQuery

/// How requests are answered from recordings: the decoded options of `server_replay`.
struct AnswerSettings: Sendable {
    /// What happens to a request without a recording.
    enum MissPolicy: Sendable, Equatable {
        /// It gets a page with status 404 that says what differs.
        case notFound
        /// It is sent to the server.
        case pass
        /// It is sent to the server, and what the server answers is an answer from then on.
        case record
    }

    /// What a sequence of answers belongs to.
    enum Session: Sendable, Equatable {
        /// All clients together.
        case none
        /// The address of the client.
        case client
        /// The value of a cookie.
        case cookie(String)
        /// The value of a header field.
        case header(String)
    }

    /// The recordings: files, folders and patterns.
    var paths: [String] = []
    /// Which exchanges of the recordings are used; `nil` for all.
    var filter: Filter?
    /// The parts in which a request must equal a recorded one.
    var rules = RequestRules(AnswerSettings.standard, comparingAmbiguousBodies: true)
    /// Whether hosts count; `nil` if they do where the client names one.
    var comparesHost: Bool?
    var repeats = AnswerRepeats.last
    var session = Session.client
    /// The factor of the recorded wait; 0 for none.
    var latency = 0.0
    var onMiss = MissPolicy.notFound
    /// The texts that replace values in recordings.
    var masks: Set<String> = ["[redacted]"]
    /// The time between two looks at the recordings; `nil` if they are not read again.
    var reloadInterval: Duration? = .milliseconds(250)
    /// Counts what was answered.
    var journal = AnswerJournal()

    static let standard: MatchedParts = [.method, .host, .port, .path, .query]
}

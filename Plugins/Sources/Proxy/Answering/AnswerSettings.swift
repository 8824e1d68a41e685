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
    enum Session: Sendable {
        /// All clients together.
        case none
        /// The address of the client.
        case client
        /// A value of the request, such as that of a cookie.
        case key(SessionKey)
    }

    /// Rules for chosen recordings.
    struct SpecialRules: Sendable {
        /// The recordings that they are for.
        let filter: Filter
        let rules: RequestRules
    }

    /// The recordings: files, folders and patterns.
    var paths: [String] = []
    /// Which exchanges of the recordings are used; `nil` for all.
    var filter: Filter?
    /// The parts in which a request must equal a recorded one.
    var rules = RequestRules(AnswerSettings.standard, comparingAmbiguousBodies: true)
    /// Rules for chosen recordings; the first ones whose filter holds count.
    var specialRules: [SpecialRules] = []
    var repeats = AnswerRepeats.last
    var session = Session.client
    /// Whether answers repeat values of the request as the recorded ones did.
    var hasTemplates = false
    /// The factor of the recorded wait; 0 for none.
    var latency = 0.0
    var onMiss = MissPolicy.notFound
    /// The texts that replace values in recordings.
    var masks: Set<String> = ["[redacted]"]
    /// The time between two looks at the recordings; `nil` if they are not read again.
    var reloadInterval: Duration? = .milliseconds(250)
    /// Whether only requests to this machine and to recorded hosts are answered.
    var checksHost = false
    /// Counts what was answered.
    var journal = AnswerJournal()

    static let standard: MatchedParts = [.method, .host, .port, .path, .query]

    /// Returns the number of the special rules for a recorded exchange; `nil` if there are none.
    func specialRules(for exchange: borrowing Exchange) -> Int? {
        for number in specialRules.indices where specialRules[number].filter.matches(exchange) {
            return number
        }
        return nil
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel

/// Plans recorded requests: their sessions, and the answers that they need.
///
/// **Isolation**: the reader's thread.
struct SessionPlanner {
    /// `nil` if requests neither wait for others nor contain tokens.
    private var sessions: RecordedSessions?

    init(_ settings: ClientReplaySettings, _ tokens: ReplayTokens) {
        let key = settings.sessions.key(at: settings.schedule.pace)
        let hasTokens = !tokens.map.bindings.isEmpty || tokens.hasMasks
        if hasTokens || key.hasSessionsWithoutTokens {
            sessions = RecordedSessions(key: key, map: tokens.map)
        }
    }

    /// Whether requests may depend on others.
    var isPlanning: Bool { sessions != nil }

    /// Plans the next recorded request; `nil` if it depends on nothing.
    mutating func plan(_ exchange: borrowing Exchange) -> PlannedRequest? {
        sessions?.read(exchange)
    }

    /// How many tokens were forgotten because there were too many.
    var forgotten: Int { sessions?.forgotten ?? 0 }

    /// Begins the recording again.
    mutating func beginPass() { sessions?.beginPass() }
}

// SPDX-License-Identifier: MIT

/// Decides whether the peer sends too many frames that cost us work and carry nothing.
///
/// Each kind of frame has a balance that begins full. A frame takes from it; time and useful frames
/// give back. Useful are responses, content that we sent unless the peer's credit cut it into small
/// pieces, and content of some size that we received. A request is not, since it would pay for its own
/// reset.
///
/// **Source**: RFC 9113 §10.5; the attacks are known as rapid reset, ping, settings and empty frame
/// floods.
package struct HTTP2FrameBudget: Sendable {
    /// The kinds of frames.
    package enum Kind: Int, Sendable, CaseIterable {
        /// Streams that the peer resets, or that are reset because of its errors.
        case resets
        /// PING.
        case pings
        /// SETTINGS.
        case settings
        /// PRIORITY.
        case ignored
        /// WINDOW_UPDATE.
        case windowUpdates
        /// Frames without a payload.
        case empty

        /// The frames that one useful frame pays for.
        ///
        /// Content is acknowledged with up to two WINDOW_UPDATE frames for each DATA frame, and
        /// clients of gRPC measure the connection with a PING for each.
        fileprivate var price: Int {
            switch self {
            case .resets, .empty: 1
            case .pings, .ignored: 2
            case .windowUpdates: 4
            case .settings: 0
            }
        }

        /// The name of the limit as an option of `proxy`.
        package var option: String {
            switch self {
            case .resets: "max_resets"
            case .pings: "max_pings"
            case .settings: "max_settings"
            case .ignored: "max_priorities"
            case .windowUpdates: "max_window_updates"
            case .empty: "max_empty_frames"
            }
        }

        /// What a peer does that exceeds the limit, for messages.
        fileprivate var excess: String {
            switch self {
            case .resets: "caused more resets of streams"
            case .pings: "sent more PING frames"
            case .settings: "sent more SETTINGS frames"
            case .ignored: "sent more PRIORITY frames"
            case .windowUpdates: "sent more WINDOW_UPDATE frames"
            case .empty: "sent more empty frames"
            }
        }
    }

    private let limits: InlineArray<6, Int>
    private let seconds: Int
    /// The balances, times `seconds`, so that each second gives back `limits`.
    private var balances: InlineArray<6, Int>
    private var time: Int?

    /// Makes full balances.
    package init(_ limits: HTTP2FrameLimits = HTTP2FrameLimits()) {
        let seconds = min(max(limits.seconds, 1), 1_000_000)
        let given: InlineArray<6, Int> = [
            limits.resets, limits.pings, limits.settings, limits.ignored, limits.windowUpdates,
            limits.empty,
        ]
        var bounded = InlineArray<6, Int>(repeating: 0)
        var balances = bounded
        for index in given.indices {
            bounded[index] = min(max(given[index], 0), 1_000_000_000)
            balances[index] = bounded[index] * seconds
        }
        self.limits = bounded
        self.balances = balances
        self.seconds = seconds
    }

    /// Gives back what the time since the last call and useful frames pay for.
    ///
    /// - Parameters:
    ///   - useful: The number of useful frames since the last call.
    ///   - now: The time in seconds; a time before the last one is ignored.
    package mutating func refill(useful: Int, at now: Int) {
        let last = time ?? now
        let (difference, isOverflow) = now.subtractingReportingOverflow(last)
        let elapsed = isOverflow ? 0 : min(max(difference, 0), seconds)
        if time == nil || now > last { time = now }
        for kind in Kind.allCases {
            let index = kind.rawValue
            let most = limits[index] * seconds
            let paid = min(useful, 1_000_000) * kind.price * seconds
            let earned = elapsed * limits[index] + paid
            balances[index] = min(balances[index] + earned, most)
        }
    }

    /// Makes the failure of a peer that has exceeded the budget of a kind.
    func failure(of kind: Kind) -> HTTP2Failure {
        HTTP2Failure(peer: kind.excess, than: (kind.option, limits[kind.rawValue]))
    }

    /// Takes frames from a balance; returns whether they were allowed.
    package mutating func spend(_ kind: Kind, _ count: Int) -> Bool {
        let left = balances[kind.rawValue] - min(max(count, 0), 1_000_000_000) * seconds
        balances[kind.rawValue] = max(left, 0)
        return left >= 0
    }
}

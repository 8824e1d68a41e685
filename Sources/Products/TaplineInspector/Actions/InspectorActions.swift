// SPDX-License-Identifier: MIT

package import TaplineOperations

/// Starts what needs plugins, which an inspector cannot use itself: the command implements it.
///
/// **Isolation**: any thread.
package protocol InspectorActions: Sendable {
    /// Starts to send recorded requests, or to answer requests as recordings did.
    ///
    /// - Parameter request: What to start.
    /// - Returns: The run, which has begun.
    /// - Throws: `ControlError` if it cannot start.
    func start(_ request: RunRequest) throws(ControlError) -> any StartedRun

    /// Where replays are recorded if that is not a store of the inspector: a folder, which may have
    /// no store yet.
    var recordingFolder: String? { get }
}

/// What somebody has asked an inspector to start.
package struct RunRequest: Sendable {
    /// What can be started.
    package enum Kind: String, Sendable {
        /// Recorded requests are sent to a server.
        case replay
        /// A server answers as the recording did.
        case mock
    }

    /// What is started.
    package let kind: Kind
    /// The files of the stores.
    package let stores: [String]
    /// Which exchanges are used, in the filter language; empty for all.
    package let filter: String
    /// The URL of the server that requests are sent to.
    package let target: String
    /// Requests a second, as for `tapline replay --rate`; `nil` if `speed` says it.
    package let rate: String?
    /// The factor of the recorded spacing, as for `tapline replay --speed`; `nil` for the default.
    package let speed: String?
    /// Whether requests that can change things are sent to other machines, too.
    package let isUnsafe: Bool

    /// Creates a request.
    package init(
        _ kind: Kind,
        of stores: [String],
        filter: String = "",
        to target: String = "",
        rate: String? = nil,
        speed: String? = nil,
        isUnsafe: Bool = false
    ) {
        self.kind = kind
        self.stores = stores
        self.filter = filter
        self.target = target
        self.rate = rate
        self.speed = speed
        self.isUnsafe = isUnsafe
    }
}

/// A replay or a mock that was started.
///
/// **Isolation**: any thread.
package protocol StartedRun: Sendable {
    /// What it has done so far.
    var progress: RunProgress { get }

    /// How the answers differ from the recorded ones, as the JSON of `tapline diff --format json`;
    /// `nil` if they are not compared, or not yet.
    var differences: [UInt8]? { get }

    /// Asks it to end; returns at once.
    func stop()
}

/// What a run has done so far.
package struct RunProgress: Sendable {
    /// Whether it goes on.
    package var isRunning = true
    /// Why it failed; `nil` if it did not.
    package var failure: String?
    /// The address at which a mock answers.
    package var url: String?
    /// Figures and notes, without values of the traffic.
    package var lines: [String] = []
    /// How many exchanges were compared, and how many of them differ.
    package var compared: (pairs: Int, differing: Int)?

    /// Creates the progress of a run that has just begun.
    package init() {}
}

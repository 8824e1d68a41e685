// SPDX-License-Identifier: MIT

package import TaplineModel

/// A running pipeline that can take over a changed configuration.
///
/// **Isolation**: any thread.
package protocol PipelineReloading: Sendable {
    /// Builds and opens the components of the configuration as it is now, then replaces those that
    /// have changed.
    ///
    /// Calls that arrive during a reload are answered together by one more reload.
    ///
    /// - Parameter answered: Called once, on any thread, when the reload has succeeded or failed.
    func reload(answered: @escaping @Sendable (ReloadOutcome) -> Void)

    /// The reloads so far.
    var reloads: ReloadHistory { get }
}

/// The result of one reload.
package enum ReloadOutcome: Sendable, Equatable {
    /// The configuration of this generation runs; `changed` lists the ids of the components that
    /// were added, replaced or removed.
    case applied(generation: Int, changed: [String])
    /// Nothing was changed; the text gives the reasons, with their places and lines of the
    /// configuration. Show it only to those who may read the configuration.
    case failed(String)
}

/// The reloads of a pipeline so far.
package struct ReloadHistory: Sendable {
    /// The number of the running configuration, from 1.
    package var generation = 1
    /// The number of reloads that succeeded.
    package var succeeded = 0
    /// The number of reloads that failed.
    package var failed = 0
    /// The time of the last reload that succeeded; `nil` before the first.
    package var lastSuccess: Timestamp?
    /// The time and the reasons of the last reload that failed, without lines of the configuration,
    /// which may contain secrets; `nil` if none has.
    package var lastFailure: (time: Timestamp, reasons: String)?

    package init() {}
}

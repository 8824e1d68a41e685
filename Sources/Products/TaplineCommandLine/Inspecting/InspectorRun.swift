// SPDX-License-Identifier: MIT

package import TaplineInspector
package import TaplineRuntime

/// Starts a replay or a mock that the inspector's page asks for.
///
/// It throws `ControlError` or `UsageError` if an option is wrong.
package typealias InspectorRunStart =
    @Sendable (RunRequest, InspectorRunContext) throws -> any StartedRun

/// What a replay or a mock that the page has started uses.
package struct InspectorRunContext: Sendable {
    /// The database that replays are recorded in.
    package let database: String
    /// The stages of the pipeline that the page shows; replayed exchanges pass through them, too.
    package let stages: [Topology.Stage]
    /// The command that serves the page; its plugins are used.
    package let invocation: Invocation
    /// To be called once, when the run has ended.
    package let ended: @Sendable () -> Void
}

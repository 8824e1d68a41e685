// SPDX-License-Identifier: MIT

/// What those who operate a running pipeline may ask of it.
///
/// **Isolation**: any thread.
package protocol PipelineOperations: Sendable {
    /// The state and the figures of all components now, from the same counters as the summary.
    var status: PipelineStatus { get }

    /// Stops the sources; the pipeline ends once its sinks have written what is queued, within
    /// `drain_timeout`.
    ///
    /// Later calls have no effect.
    func drain()
}

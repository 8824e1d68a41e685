// SPDX-License-Identifier: MIT

package import TaplinePlugin

/// A lane that notifies its source when every sink is done with a batch.
///
/// A protocol of its own, since `Lane` is public and only sources of this package keep positions.
///
/// **Isolation**: that of the lane.
package protocol AcknowledgingLane: Lane {
    /// Hands all finished records to the sinks, as `submit(ticket:ready:)`.
    ///
    /// A sink is done with a record when it has written it and then flushed, when its `when`
    /// excludes it, or when it has dropped or refused it, which is counted. If a flush fails, the
    /// sink gets the batch again. If the reader of the sink is gone, or the pipeline no longer waits
    /// for the sink, the batch is never acknowledged: the source has to read it again in the next
    /// run.
    ///
    /// - Parameters:
    ///   - ticket: The position in the order of batches; `nil` if the order does not matter.
    ///   - acknowledged: Called at most once, on any thread, also during this call and after the
    ///     source has returned. It is called for a batch without records too. It must not call the
    ///     lane.
    ///   - ready: Called once, on any thread, when there is room again after the result `paused`.
    /// - Returns: Whether the source may continue.
    func submit(
        ticket: UInt64?,
        acknowledged: @escaping @Sendable () -> Void,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult
}

// SPDX-License-Identifier: MIT

package import TaplinePlugin

/// A lane in which records wait for verdicts that are given later.
///
/// They are submitted in the order of the lane, so that a record that waits holds up those after
/// it. `close` waits for all verdicts.
///
/// **Isolation**: that of the lane.
package protocol ParkingLane: Lane {
    /// Calls back, on any thread, when a verdict is known; the source then submits again.
    ///
    /// Set before the first exchange. Several verdicts before a submission cause one call.
    func whenAnswered(_ call: @escaping @Sendable () -> Void)
}

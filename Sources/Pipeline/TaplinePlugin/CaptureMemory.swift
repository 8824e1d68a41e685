// SPDX-License-Identifier: MIT

/// The memory for the captured parts of live exchanges that have not ended.
///
/// **Isolation**: the thread of the lane that owns it.
public protocol CaptureMemory: AnyObject {
    /// Counts bytes that are about to be kept.
    ///
    /// - Returns: Whether they may be kept; if not, nothing was counted.
    func hold(_ count: Int) -> Bool

    /// Subtracts bytes that `hold` has counted.
    func release(_ count: Int)
}

// SPDX-License-Identifier: MIT

public import TaplineModel

/// Gives way to the filter language.
public struct Filter: Sendable {
    /// Whether an exchange is meant.
    public func matches(_ exchange: borrowing Exchange) -> Bool { true }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Tap {
    /// The entries that have ended and belong to one id, newest first: what the stage `correlate` has
    /// noted, otherwise the trace id of `traceparent` or `X-Request-ID`.
    ///
    /// - Parameter id: The id, as it was noted.
    /// - Returns: The entries.
    public func entries(correlation id: String) -> [Entry] {
        entries.filter { entry in
            entry.exchange.flatMap { Correlation.find(in: $0) }?.description == id
        }
    }
}

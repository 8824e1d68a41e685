// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Tap {
    /// The ended entries with one id, newest first: the id that the stage `correlate` has recorded,
    /// otherwise the trace id of `traceparent` or `X-Request-ID`.
    ///
    /// - Parameter id: The id as it was recorded.
    /// - Returns: The entries.
    public func entries(correlation id: String) -> [Entry] {
        entries.filter { entry in
            entry.exchange.flatMap { Correlation.find(in: $0) }?.description == id
        }
    }
}

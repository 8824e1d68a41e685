// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What a filter's text may refer to other than exchanges.
struct FilterScope: Sendable {
    /// The values for `env["…"]`.
    var environment: [String: String] = [:]
    /// The moment that `now` means; `nil` if there is none.
    var now: Timestamp?
    /// Whether exchanges come from a store.
    var isStore = false
}

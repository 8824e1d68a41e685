// SPDX-License-Identifier: MIT

/// The exchanges that wait for a decision.
///
/// **Isolation**: any thread.
package final class PausedExchanges: Sendable {
    package init() {}
}

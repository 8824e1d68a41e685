// SPDX-License-Identifier: MIT

import TaplinePlugin

extension PluginRegistry {
    /// The plugins of this package; they come on top of Tapline's own.
    public static let mine = PluginRegistry(
        sources: [.requestList],
        stages: [.sample],
        sinks: [.counts]
    )
}

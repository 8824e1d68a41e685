// SPDX-License-Identifier: MIT

import TaplinePlugin

extension PluginRegistry {
    /// The plugins of this package, which are added to Tapline's own.
    public static let mine = PluginRegistry(
        sources: [.requestList],
        stages: [.pick],
        sinks: [.counts]
    )
}

// SPDX-License-Identifier: MIT

internal import NATSSink
internal import NATSSource
public import TaplineModel
public import TaplinePlugin

extension PluginCollection where Self == PluginRegistry {
    /// The source and the sink `nats`.
    ///
    /// A separate product, since few programs need it. The library libnats is loaded when a pipeline
    /// uses one of them.
    public static var streams: PluginRegistry {
        PluginRegistry(sources: [.nats], sinks: [.nats])
    }
}

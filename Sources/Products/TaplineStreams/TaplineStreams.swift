// SPDX-License-Identifier: MIT

internal import NATSSink
internal import NATSSource
public import TaplinePlugin

extension PluginRegistry {
    /// The source and the sink `nats`.
    ///
    /// A separate product, since few programs need it. The library libnats is loaded when a pipeline
    /// uses one of them.
    public static let streams = PluginRegistry(sources: [.nats], sinks: [.nats])
}

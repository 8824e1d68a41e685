// SPDX-License-Identifier: MIT

internal import NATSSink
internal import NATSSource
public import TaplinePlugin

extension PluginRegistry {
    /// The source and the sink `nats`.
    ///
    /// A separate product, since it links the client library of NATS.
    public static let streams = PluginRegistry(sources: [.nats], sinks: [.nats])
}

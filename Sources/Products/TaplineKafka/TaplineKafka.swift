// SPDX-License-Identifier: MIT

internal import KafkaSink
internal import KafkaSource
public import TaplinePlugin

extension PluginRegistry {
    /// The source and the sink `kafka`.
    ///
    /// A separate product, since few programs need it. The library librdkafka is loaded when a pipeline
    /// uses one of them.
    public static let kafka = PluginRegistry(sources: [.kafka], sinks: [.kafka])
}

// SPDX-License-Identifier: MIT

internal import KafkaSink
internal import KafkaSource
public import TaplinePlugin

extension PluginRegistry {
    /// The source and the sink `kafka`.
    ///
    /// A separate product, since it links librdkafka, which few programs need.
    public static let kafka = PluginRegistry(sources: [.kafka], sinks: [.kafka])
}

// SPDX-License-Identifier: MIT

internal import KafkaSink
internal import KafkaSource
public import TaplineModel
public import TaplinePlugin

extension PluginCollection where Self == PluginRegistry {
    /// The source and the sink `kafka`.
    ///
    /// A separate product, since few programs need it. The library librdkafka is loaded when a pipeline
    /// uses one of them.
    public static var kafka: PluginRegistry {
        PluginRegistry(sources: [.kafka], sinks: [.kafka])
    }
}

// SPDX-License-Identifier: MIT

internal import HTTPSink
internal import OTLPSink
internal import S3Sink
public import TaplineModel
public import TaplinePlugin

extension PluginCollection where Self == PluginRegistry {
    /// The sinks `http`, `otlp` and `s3`.
    ///
    /// A separate product, since it links libuv and OpenSSL, which apps that capture in process do
    /// not need.
    public static var telemetry: PluginRegistry {
        PluginRegistry(sinks: [.http, .otlp, .s3])
    }
}

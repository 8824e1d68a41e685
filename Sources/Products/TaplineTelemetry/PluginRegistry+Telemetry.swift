// SPDX-License-Identifier: MIT

internal import HTTPSink
internal import OTLPSink
public import TaplinePlugin

extension PluginRegistry {
    /// The sinks `http` and `otlp`.
    ///
    /// A separate product, since it links libuv and OpenSSL, which apps that capture in process do
    /// not need.
    public static let telemetry = PluginRegistry(sinks: [.http, .otlp])
}

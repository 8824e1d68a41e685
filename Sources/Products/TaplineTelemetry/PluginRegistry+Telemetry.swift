// SPDX-License-Identifier: MIT

internal import HTTPSink
public import TaplinePlugin

extension PluginRegistry {
    /// The sink `http`.
    ///
    /// A separate product, since it links libuv and OpenSSL, which apps that capture in process do
    /// not need.
    public static let telemetry = PluginRegistry(sinks: [.http])
}

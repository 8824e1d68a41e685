// SPDX-License-Identifier: MIT

internal import ClientReplaySource
internal import ProxySource
public import TaplinePlugin

extension PluginRegistry {
    /// The sources `proxy` and `client_replay`.
    ///
    /// A separate product, since it links libuv and OpenSSL, which apps that capture in process do
    /// not need.
    public static let proxy = PluginRegistry(sources: [.proxy, .clientReplay])
}

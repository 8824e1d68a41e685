// SPDX-License-Identifier: MIT

internal import ClientReplaySource
internal import ProxySource
public import TaplineModel
public import TaplinePlugin

extension PluginCollection where Self == PluginRegistry {
    /// The sources `proxy`, `client_replay` and `server_replay`.
    ///
    /// A separate product, since it links libuv and OpenSSL, which apps that capture in process do
    /// not need.
    public static var proxy: PluginRegistry {
        PluginRegistry(sources: [.proxy, .clientReplay, .serverReplay])
    }
}

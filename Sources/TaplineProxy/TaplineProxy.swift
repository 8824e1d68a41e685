// SPDX-License-Identifier: MIT

internal import ProxySource
public import TaplinePlugin

extension PluginRegistry {
    /// The proxy: the source `proxy`.
    ///
    /// It brings libuv and OpenSSL with it, so that apps which capture in process do without.
    public static let proxy = PluginRegistry(sources: [.proxy])
}

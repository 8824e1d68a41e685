// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineConnections
internal import TaplinePlugin
internal import TaplineUpstream

/// The options of `proxy` for a parent proxy.
extension ProxyOptions {
    static let parentProxy = ParentProxyOptions(
        "parent proxy",
        summary: "Another proxy to reach servers through."
    )

    /// Decodes `parent`, which excludes other options.
    static func readParent(
        _ given: Options,
        _ options: Options,
        _ context: inout BuildContext
    ) -> ParentProxy? {
        guard let parent = parentProxy.read(given, &context) else { return nil }
        if options.isSet(upstream) {
            context.diagnostics.error(
                at: given[parentProxy.url].location,
                "a reverse proxy cannot have a parent; found both 'upstream' and 'parent'"
            )
        }
        if let range = options[denyTargets].first {
            context.diagnostics.error(
                at: range.location,
                "'deny_targets' cannot be combined with 'parent', which resolves the names"
            )
        }
        return parent
    }
}

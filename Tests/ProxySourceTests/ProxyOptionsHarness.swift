// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem

@testable import ProxySource

/// Returns the settings of options in YAML, and their problems.
func buildProxy(
    _ yaml: String,
    environment: [String: String] = ["HOME": "/home/u"],
    hasNamespace: Bool = false
) -> (settings: ProxySettings?, problems: String) {
    var diagnostics = Diagnostics()
    let source = ConfigSource(name: "p.yaml", bytes: Array(yaml.utf8), folder: "/etc/tapline")
    guard let node = ConfigReader().read(source, into: &diagnostics),
        let options = ProxyOptions.schema.decode(
            node,
            owner: "proxy",
            into: &diagnostics,
            environment: Environment()
        )
    else { return (nil, diagnostics.rendered) }
    var context = BuildContext(
        id: "proxy",
        folder: "/etc/tapline",
        environment: Environment(environment),
        diagnostics: diagnostics
    )
    context.hasNamespace = hasNamespace
    let built = ProxyOptions.build(options, &context) as? ProxySource
    return (built?.settings, context.diagnostics.rendered)
}

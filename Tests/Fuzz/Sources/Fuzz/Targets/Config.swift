// SPDX-License-Identifier: MIT

import TaplineBuiltIns
import TaplineConfig
import TaplinePlugin
import TaplineRuntime
import TaplineSystem

/// Configuration files: YAML, options of every type, and whole pipelines of the built-in plugins.
func fuzzConfig(_ input: inout FuzzInput) {
    let bytes = input.whole
    _ = ConfigFuzz.run(bytes)
    var diagnostics = Diagnostics()
    let root = ConfigReader().read(
        bytes,
        name: "fuzz.yaml",
        folder: "/nonexistent",
        into: &diagnostics
    )
    guard let root else {
        require(diagnostics.hasErrors, "no tree and no error")
        return
    }
    let builder = TopologyBuilder(
        registry: .builtIn,
        environment: Environment(["NAME": "value", "EMPTY": ""])
    )
    let topology = builder.build(root, into: &diagnostics)
    require(topology != nil || diagnostics.hasErrors, "no topology and no error")
    _ = diagnostics.rendered
}

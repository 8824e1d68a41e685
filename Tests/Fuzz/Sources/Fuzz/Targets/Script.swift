// SPDX-License-Identifier: MIT

import LuaStage
import TaplineConfig
import TaplinePlugin

/// The check of scripts: for any script, the check ends, each finding has a place in the script,
/// and a second check has the same findings.
func fuzzScript(_ input: inout FuzzInput) {
    guard let tools = StagePlugin.lua.scripts else { return }
    let bytes = input.rest()
    let found = tools.check(ConfigSource(name: "script.lua", bytes: bytes))
    for diagnostic in found.all {
        guard let location = diagnostic.location else { continue }
        require(location.byteOffset >= 0 && location.byteEnd <= bytes.count, "out of bounds")
    }
    _ = found.rendered
    let again = tools.check(ConfigSource(name: "script.lua", bytes: bytes))
    require(again.all.map(\.message) == found.all.map(\.message), "the second check differs")
}

// SPDX-License-Identifier: MIT

internal import TaplineConfig
public import TaplineModel
public import TaplinePlugin

extension PluginCollection where Self == PluginRegistry {
    /// The secret detectors, to add to a plugin registry.
    public static var detectors: PluginRegistry {
        PluginRegistry(detectors: Detectors())
    }
}

/// Tapline's detectors: forms of secrets, found with Hyperscan and by byte classes.
struct Detectors: DetectorLibrary {
    var detectors: [DetectorDescription] { DetectorTable.all.map(\.description) }

    func build(_ choice: DetectorChoice, into diagnostics: inout Diagnostics) -> (any DetectorSet)?
    {
        var builder = DetectorBuilder(choice)
        return builder.build(into: &diagnostics)
    }
}

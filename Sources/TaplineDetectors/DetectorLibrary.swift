// SPDX-License-Identifier: MIT

internal import TaplineConfig
public import TaplinePlugin

extension PluginRegistry {
    /// The secret detectors, to be added to a registry of plugins.
    public static var detectors: PluginRegistry {
        PluginRegistry(detectors: Detectors())
    }
}

/// The detectors of Tapline: forms of secrets, found with Hyperscan and by the classes of bytes.
struct Detectors: DetectorLibrary {
    var detectors: [DetectorDescription] { DetectorTable.all.map(\.description) }

    func build(_ choice: DetectorChoice, into diagnostics: inout Diagnostics) -> (any DetectorSet)?
    {
        var builder = DetectorBuilder(choice)
        return builder.build(into: &diagnostics)
    }
}

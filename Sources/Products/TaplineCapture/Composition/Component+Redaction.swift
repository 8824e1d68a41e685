// SPDX-License-Identifier: MIT

package import TaplineComponents

// The same stage for secrets that are found in another way.

extension Component {
    /// Whether this is the stage `redact`.
    package var isRedaction: Bool { plugin == "redact" && factory == nil }

    /// The known values that detectors ignore.
    package var allowed: [String] {
        guard case .list(let values) = option("allow") else { return [] }
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// The text that replaces values.
    package var mask: String {
        if case .text(let text) = option("mask") { text } else { "[redacted]" }
    }

    /// Returns a stage that redacts only the findings of a detector, as this one redacts secrets.
    package func redacting(_ detector: String, by action: Redaction) -> Component {
        let kept = ["mask", "key_env", "key_file", "max_depth", "max_decoded_bytes"]
        return Component(.stage, plugin) { options in
            options.set("preset", .text(RedactionPreset.none.rawValue))
            options.set("detectors", .list([.text(detector)]))
            options.set("action", .text(action.rawValue))
            for name in kept { options.set(name, option(name)) }
        }
    }

    private func option(_ name: String) -> Value? { options.last { $0.name == name }?.value }
}

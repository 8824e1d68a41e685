// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineOperations

/// What a component was configured with, to detect what a reload changes.
///
/// Components from files are the same if their configurations are: plugin, options, common keys and
/// the contents of the files that they read. A component made in code is the same only as itself.
package final class ComponentIdentity: Sendable {
    private let configuration: String?
    private let origin: (any AnyObject & Sendable)?

    /// Creates the identity of a component made in code.
    package init() {
        configuration = nil
        origin = nil
    }

    /// Creates the identity of a component from a file, or of one made in code that has options:
    /// it is the same only as those with the same origin.
    init(configuration: String, origin: (any AnyObject & Sendable)? = nil) {
        self.configuration = configuration
        self.origin = origin
    }

    /// Returns whether two components have the same configuration.
    func matches(_ other: ComponentIdentity) -> Bool {
        if self === other { return true }
        guard let configuration else { return false }
        return configuration == other.configuration && origin === other.origin
    }
}

extension ComponentShape {
    /// The identity of the component that was built from this shape, which may name files that it
    /// has read.
    func identity(of component: Any) -> ComponentIdentity {
        var text = "\(plugin)\n\(location.source.folder)\n\(declaration)\n"
        for file in (component as? any ConfiguredByFiles)?.configurationFiles ?? [] {
            text += "\(file) \(ConfigurationFile.digest(of: file))\n"
        }
        return ComponentIdentity(configuration: text, origin: origin)
    }
}

extension ConfigNode {
    /// The value in a form that is the same for files that differ only in layout, comments and the
    /// order of keys.
    func appendCanonical(to text: inout String) {
        switch value {
        case .null: text += "~"
        case .scalar(let scalar, let isPlain):
            text += "\(isPlain ? "" : "s")\(scalar.debugDescription)"
        case .sequence(let elements):
            text += "["
            for element in elements {
                element.appendCanonical(to: &text)
                text += ","
            }
            text += "]"
        case .mapping(let pairs):
            text += "{"
            for (key, value) in pairs.sorted(by: { ($0.key.text ?? "") < ($1.key.text ?? "") }) {
                key.appendCanonical(to: &text)
                text += ":"
                value.appendCanonical(to: &text)
                text += ","
            }
            text += "}"
        }
    }
}

extension Topology {
    /// The files that the components have read, in the order of the components.
    package var configurationFiles: [String] {
        let all: [Any] =
            sources.map(\.source) + stages.map(\.factory) + sinks.map(\.factory) as [Any]
        return all.flatMap { ($0 as? any ConfiguredByFiles)?.configurationFiles ?? [] }
    }
}

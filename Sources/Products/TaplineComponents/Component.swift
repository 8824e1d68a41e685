// SPDX-License-Identifier: MIT

/// The source, a stage or a sink of a pipeline that is built in code, or its limits.
///
/// Its options are processed like those of a YAML file, with the same names and the same errors.
public struct Component: Sendable {
    package enum Place: String, Sendable {
        case source
        case stage
        case sink
        case runtime
    }

    package let place: Place
    package let plugin: String
    package var options: [(name: String, value: Value)]
    package var common: [(name: String, value: Value)] = []
    /// Makes or opens a plugin of the app, which is known under its name only in this component.
    package var factory: (any Sendable)?
    /// The object by which a reload tells a plugin of the app from another one with the same name.
    package var origin: (any AnyObject & Sendable)?

    package init(_ place: Place, _ plugin: String, _ set: (inout OptionList) -> Void = { _ in }) {
        self.place = place
        self.plugin = plugin
        options = OptionList(set).pairs
    }

    /// The id, if one was set.
    package var id: String? {
        guard case .text(let id)? = common.first(where: { $0.name == "id" })?.value else {
            return nil
        }
        return id
    }

    /// Returns the component with further common keys; the last value of a key takes precedence.
    func adding(_ set: (inout OptionList) -> Void) -> Component {
        let added = OptionList(set).pairs
        var copy = self
        copy.common.removeAll { old in added.contains { $0.name == old.name } }
        copy.common += added
        return copy
    }

    /// The sink `stdout` on standard error: shows exchanges on the terminal, one line each.
    public static let terminal = stdout(stream: .stderr)
}

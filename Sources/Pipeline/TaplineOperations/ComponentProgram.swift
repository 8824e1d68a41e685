// SPDX-License-Identifier: MIT

/// A configured component that runs a program, which introduces itself.
package protocol ProgramComponent {
    /// The program that was started last; `nil` as long as none has introduced itself.
    var program: ComponentProgram? { get }
}

/// A program of a component, as it has introduced itself.
package struct ComponentProgram: Sendable, Equatable {
    /// Its name; empty if it has not said.
    package let name: String
    /// Its version; empty if it has not said.
    package let version: String

    /// Creates a program.
    package init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}

// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineOperations

/// What a child does for the pipeline.
package enum ProcessRole: String, Sendable, CaseIterable {
    /// It decides about records.
    case stage
    /// It decides about live traffic.
    case wire
    /// It stores records.
    case sink
    /// It captures exchanges.
    case source
}

/// How a child has introduced itself.
package struct ChildHello: Sendable, Equatable {
    /// The name of the plugin.
    package var name = ""
    /// The version of the plugin.
    package var version = ""
    /// The roles that it can take; empty if it has not said.
    package var kinds: [String] = []
    /// What it can do besides: `flush`, `reopen`.
    package var capabilities: Set<String> = []
}

/// The program of a component, over all of its restarts.
///
/// **Isolation**: any thread.
package final class StartedProgram: Sendable {
    private let program = Mutex<ComponentProgram?>(nil)

    /// The program that was started last; `nil` as long as none has introduced itself.
    package var current: ComponentProgram? { program.withLock { $0 } }

    func started(_ hello: ChildHello) {
        let text = [hello.name, hello.version].map { String($0.prefix(100)) }
        program.withLock { $0 = ComponentProgram(name: text[0], version: text[1]) }
    }
}

/// Why a call has no answer, or a line of a child is unusable.
///
/// The text holds no data of the child, since that may hold traffic.
package struct ProcessPluginError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem.
    package let description: String
    /// Whether another attempt is of no use.
    package let isFinal: Bool
    /// Whether the program has not answered: it has ended or hangs, so that the next one may answer.
    package let isUnanswered: Bool

    /// Creates an error.
    package init(_ description: String, isFinal: Bool = false, isUnanswered: Bool = false) {
        self.description = description
        self.isFinal = isFinal
        self.isUnanswered = isUnanswered
    }
}

// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension Array where Element == Topology.Stage {
    /// Removes the secrets that any of the stages knows from a line of the log.
    func cleaned(_ text: String) -> String {
        reduce(text) { $1.factory.cleaned(logText: $0) }
    }
}

extension Log {
    /// The same log, with secrets removed by the stages from the entries of every component.
    func cleaned(by stages: [Topology.Stage]) -> Log {
        stages.isEmpty ? self : cleaned { stages }
    }

    /// The same log, with secrets removed by the stages that run at the time of the entry.
    func cleaned(by stages: @escaping @Sendable () -> [Topology.Stage]) -> Log {
        let log = self
        return Log(component: component) { entry in
            log.of(entry.component)(entry.level, stages().cleaned(entry.message))
        }
    }
}

// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension Array where Element == Topology.Stage {
    /// A line of the log without the secrets that any stage knows.
    func cleaned(_ text: String) -> String {
        reduce(text) { $1.factory.cleaned(logText: $0) }
    }
}

extension Log {
    /// The same log, from which stages take secrets, whichever component speaks.
    func cleaned(by stages: [Topology.Stage]) -> Log {
        guard !stages.isEmpty else { return self }
        let log = self
        return Log(component: component) { entry in
            log.of(entry.component)(entry.level, stages.cleaned(entry.message))
        }
    }
}

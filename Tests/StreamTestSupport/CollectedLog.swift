// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel
package import TaplinePlugin

/// A log that keeps its messages.
package final class CollectedLog: Sendable {
    private let messages = Mutex<[String]>([])

    package init() {}

    package var log: Log {
        Log(component: "") { entry in self.messages.withLock { $0.append(entry.message) } }
    }
    package var lines: [String] { messages.withLock { $0 } }
    package var text: String { lines.joined(separator: "\n") }
}

/// The records of exchanges that passed no stage.
package func records(_ exchanges: [Exchange]) -> [Record] {
    var chain = RecordChain()
    return exchanges.compactMap { exchange in
        if case .sealed(let record) = chain.seal(exchange) { record } else { nil }
    }
}

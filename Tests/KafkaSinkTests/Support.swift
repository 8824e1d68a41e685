// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import KafkaSink

/// Builds a sink from options in YAML; also returns the problems.
func build(_ options: String) -> (factory: (any SinkFactory)?, problems: String) {
    var diagnostics = Diagnostics()
    let node = ConfigReader().read(Array(options.utf8), name: "p.yaml", into: &diagnostics)
    let decoded = node.flatMap {
        SinkPlugin.kafka.description.options.decode(
            $0,
            owner: "kafka",
            into: &diagnostics,
            environment: Environment()
        )
    }
    var context = BuildContext(id: "kafka", diagnostics: diagnostics)
    let factory = decoded.flatMap { SinkPlugin.kafka.build($0, &context) }
    return (factory, context.diagnostics.rendered)
}

/// The records of exchanges that passed no stage.
func records(_ exchanges: [Exchange]) -> [Record] {
    var chain = RecordChain()
    return exchanges.compactMap { exchange in
        if case .sealed(let record) = chain.seal(exchange) { record } else { nil }
    }
}

/// A log that keeps its lines.
final class LogBook: Sendable {
    private let entries = Mutex<[String]>([])

    var log: Log {
        Log(component: "") { entry in self.entries.withLock { $0.append(entry.message) } }
    }
    var lines: [String] { entries.withLock { $0 } }
}

/// What another client reads from a topic, up to its end.
struct ReadMessage: Equatable {
    var partition: String
    var key: String
    var headers: String
    var value: String

    static func all(of topic: String, at brokers: String) throws -> [ReadMessage] {
        let text = try command(
            "kcat",
            [
                "-C", "-q", "-e", "-b", brokers, "-t", topic, "-X", "fetch.wait.max.ms=10",
                "-X", "fetch.error.backoff.ms=10", "-f", "%p\\x01%k\\x01%h\\x01%s\\n",
            ]
        )
        return text.split(separator: "\n").map { line in
            let parts = line.split(separator: "\u{1}", omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.count == 4 else {
                return ReadMessage(partition: "", key: "", headers: "", value: String(line))
            }
            return ReadMessage(
                partition: parts[0],
                key: parts[1],
                headers: parts[2],
                value: parts[3]
            )
        }
    }
}

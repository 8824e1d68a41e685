// SPDX-License-Identifier: MIT

import TestSupport

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

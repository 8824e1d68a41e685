// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplineModel
internal import TaplinePlugin

/// Words that represent secrets, one in each part of an exchange, and that are searched for
/// afterwards.
///
/// The first bytes of a word identify it, so a message that truncates a value does not hide it.
public struct PlantedSecrets: Sendable {
    /// The secrets by the part of the exchange that contains them.
    public let words: [(part: String, word: String)]

    /// The parts of an exchange that contain a secret.
    static let parts = [
        "request header", "request cookie", "path", "query", "user-info", "request body",
        "request trailer", "response header", "response cookie", "location", "reason",
        "response body", "response trailer", "message", "tag", "variable", "error message",
        "interim header", "method", "interim reason",
    ]

    /// The number of bytes that identify a word.
    private static let identifyingLength = 8

    /// Creates the secrets that `exchange` plants.
    public init() {
        words = PlantedSecrets.parts.enumerated().map { number, part in
            (part, "zq\(number + 10)XvKw7Rt3Lm9Hd")
        }
    }

    /// Returns the secret of a part.
    func callAsFunction(_ part: String) -> String {
        words.first { $0.part == part }?.word ?? "zq00XvKw7Rt3Lm9Hd"
    }

    /// Returns the parts of an exchange whose secret a text contains, ignoring case.
    public func parts(in text: String) -> [String] {
        let bytes = Array(text.lowercased().utf8)
        return words.filter { _, word in
            bytes.contains(Array(word.lowercased().utf8.prefix(PlantedSecrets.identifyingLength)))
        }.map(\.part)
    }

    /// Returns an exchange with a secret in every part; its body is one of several kinds.
    public func exchange(_ number: Int = 0) -> Exchange {
        let kind = PlantedSecrets.bodies[number % PlantedSecrets.bodies.count]
        var exchange = Exchange.example(number)
        exchange.request = request(kind)
        exchange.response = response(kind)
        exchange.messages = [
            StreamMessage(direction: .up, bytes: Array("{\"token\":\"\(self("message"))\"}".utf8))
        ]
        exchange.tags["note"] = self("tag")
        exchange.error = ExchangeError(code: "reset", message: "reset: \(self("error message"))")
        exchange.state = number.isMultiple(of: 2) ? .failed : .completed
        return exchange
    }

    /// Media types, each with a body; `%` stands for the secret.
    private static let bodies = [
        ("application/json", "{\"password\":\"%\",\"nested\":{\"token\":[\"%\"]}}"),
        ("application/json", "{\"password\":\"%\",\"cut"),
        ("application/x-www-form-urlencoded", "user=me&password=%&x=%zz"),
        ("text/plain; charset=utf-8", "password: %\n"),
        ("", "{%"),
    ]

    private func request(_ kind: (type: String, body: String)) -> Request {
        Request(
            method: ByteString(self("method")),
            target: ByteString("/\(self("path"))?token=\(self("query"))"),
            authority: ByteString("me:\(self("user-info"))@shop.test"),
            fields: [
                "Host": "shop.test", "Authorization": "Bearer \(self("request header"))",
                "Cookie": "session=\(self("request cookie"))", "Content-Type": kind.type,
            ],
            body: Body(Array(kind.body.replacing("%", with: self("request body")).utf8)),
            trailers: ["X-Check": self("request trailer")]
        )
    }

    private func response(_ kind: (type: String, body: String)) -> Response {
        Response(
            status: 302,
            reason: ByteString(self("reason")),
            fields: [
                "X-Api-Key": self("response header"),
                "Set-Cookie": "session=\(self("response cookie")); HttpOnly",
                "Location": "https://shop.test/?token=\(self("location"))",
                "Content-Type": kind.type,
            ],
            body: Body(Array(kind.body.replacing("%", with: self("response body")).utf8)),
            trailers: ["X-Check": self("response trailer")],
            interim: [
                InterimResponse(
                    status: 103,
                    reason: ByteString(self("interim reason")),
                    fields: ["X-Hint": self("interim header")]
                )
            ]
        )
    }
}

/// The log lines and other texts of a run.
final class Transcript: Sendable {
    private let state = Mutex<[LogEntry]>([])

    var log: Log { Log(component: "") { [self] entry in state.withLock { $0.append(entry) } } }

    var entries: [LogEntry] { state.withLock { $0 } }

    func add(_ text: String) {
        state.withLock {
            $0.append(LogEntry(level: .error, component: "", message: text))
        }
    }

    /// Records the secrets found in the texts.
    func search(
        for secrets: PlantedSecrets,
        and words: [String] = [],
        while action: String,
        into findings: inout Findings
    ) {
        for entry in entries {
            let shown = "\(entry.component) \(entry.message)"
            for part in secrets.parts(in: shown) {
                findings.note(
                    .secrets,
                    "while \(action), a text shows the secret of the \(part): '\(entry.message)'"
                )
            }
            for word in words where !word.isEmpty && shown.contains(word) {
                findings.note(
                    .secrets,
                    "while \(action), a text shows '\(word)': '\(entry.message)'"
                )
            }
        }
    }
}

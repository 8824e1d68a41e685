// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What is known about an exchange besides its messages: one line for each kind of fact.
enum ExchangeFacts {
    /// The width of the names.
    private static let width = 12

    /// The lines before the request: which exchange this is, and how it ended.
    static func writeFirst(_ exchange: Exchange, to lines: inout PrettyText) {
        fact("exchange", exchange.id.description, to: &lines)
        fact("started", exchange.started.rfc3339, to: &lines)
        fact("source", exchange.source, to: &lines)
        fact("state", exchange.state.name, to: &lines)
        if let error = exchange.error {
            begin("error", to: &lines)
            lines.write { $0.styled(.red) { $0.failure(error) } }
            lines.end()
        }
    }

    /// The lines after the messages.
    static func writeLast(_ exchange: Exchange, to lines: inout PrettyText) {
        fact("timing", timing(exchange.timing), to: &lines)
        connection(exchange.connection, to: &lines)
        if let tls = exchange.connection.tls { fact("tls client", Self.tls(tls), to: &lines) }
        if let tls = exchange.connection.serverTLS {
            fact("tls server", Self.tls(tls), to: &lines)
        }
        if let bytes = exchange.bytes {
            fact("bytes up", counts(bytes.up, isExact: bytes.isExact), to: &lines)
            fact("bytes down", counts(bytes.down, isExact: bytes.isExact), to: &lines)
        }
        original(exchange.original, to: &lines)
        for tag in exchange.tags {
            begin("tag", to: &lines)
            lines.write { $0.tag(tag) }
            lines.end()
        }
        if let extra = exchange.extra { self.extra(extra, to: &lines) }
        if !exchange.har.isEmpty {
            let size = Quantities.size(exchange.har.count)
            fact("har", "\(size) of members that only HAR has", to: &lines)
        }
    }

    // MARK: Lines

    private static func begin(_ name: String, to lines: inout PrettyText) {
        lines.begin()
        lines.put(name, .dim)
        lines.write { $0.fill(to: width) }
    }

    /// Writes a line unless its text is empty.
    private static func fact(_ name: String, _ text: String, to lines: inout PrettyText) {
        guard !text.isEmpty else { return }
        begin(name, to: &lines)
        lines.show(text)
        lines.end()
    }

    private static func fact(_ name: String, _ parts: [String?], to lines: inout PrettyText) {
        fact(name, parts.compactMap { $0 }.joined(separator: ", "), to: &lines)
    }

    private static func named(_ name: String, _ text: String) -> String? {
        text.isEmpty ? nil : "\(name) \(text)"
    }

    // MARK: Facts

    private static func timing(_ timing: Timing) -> [String?] {
        let phases: [(String, Microseconds?)] = [
            ("dns", timing.dns), ("connect", timing.connect), ("tls", timing.tls),
            ("send", timing.send), ("wait", timing.wait), ("first event", timing.firstEvent),
            ("receive", timing.receive), ("total", timing.total),
        ]
        return phases.map { name, time in time.map { "\(name) \(Quantities.duration($0))" } }
    }

    private static func connection(_ connection: Connection, to lines: inout PrettyText) {
        let reused = connection.isReused.map { $0 ? "reused" : "new" }
        fact(
            "connection",
            [named("client", connection.client), named("server", connection.server), reused],
            to: &lines
        )
    }

    private static func tls(_ tls: TLSInfo) -> String {
        let handshake = tls.handshake.map {
            "handshake \(Quantities.size($0.up)) up, \(Quantities.size($0.down)) down"
        }
        return [
            tls.version, tls.cipher, named("sni", tls.sni) ?? "", named("alpn", tls.alpn) ?? "",
            handshake ?? "",
        ]
        .filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private static func counts(_ bytes: ByteCounts.Direction, isExact: Bool) -> String {
        "line \(Quantities.size(bytes.line)), headers \(Quantities.size(bytes.headers)), "
            + "body \(Quantities.size(bytes.body))\(isExact ? "" : " (estimated)")"
    }

    private static func original(_ original: Original, to lines: inout PrettyText) {
        guard !original.isEmpty else { return }
        begin("original", to: &lines)
        if let method = original.method { lines.show(method.span) }
        if let url = original.url {
            if original.method != nil { lines.put(" ") }
            lines.show(url.span)
        }
        if let status = original.status {
            lines.put(original.method == nil && original.url == nil ? "" : " ")
            lines.put("status \(status)")
        }
        lines.end()
    }

    private static func extra(_ extra: ExchangeExtra, to lines: inout PrettyText) {
        for step in extra.provenance {
            for change in step.changes {
                let what = ProvenancePrinter.words(for: change)
                fact("provenance", "\(what) by \(step.stage) (\(step.hook))", to: &lines)
            }
        }
        if let replay = extra.replay {
            fact(
                "replay",
                [
                    "of \(replay.original)", replay.due.map { "due \($0.rfc3339)" },
                    replay.sent.map { "sent \($0.rfc3339)" },
                    replay.status.map { "recorded with status \($0)" },
                ],
                to: &lines
            )
        }
        for note in extra.notes {
            fact(
                "note",
                [
                    note.text.isEmpty ? nil : note.text, named("by", note.author),
                    named("mark", note.mark), note.at.map { "at \($0.rfc3339)" },
                ],
                to: &lines
            )
        }
        if let stream = extra.stream {
            fact(
                "stream",
                [stream.client.map { leg("client", $0) }, stream.server.map { leg("server", $0) }],
                to: &lines
            )
        }
        if let grpc = extra.grpc {
            fact(
                "grpc",
                [
                    "\(grpc.service)/\(grpc.method)", grpc.status.map { "status \($0)" },
                    named("message", grpc.message),
                ],
                to: &lines
            )
        }
    }

    private static func leg(_ name: String, _ leg: StreamLegs.Leg) -> String {
        let fields = leg.fields.map {
            "(fields uncompressed: \(Quantities.size($0.up)) up, \(Quantities.size($0.down)) down)"
        }
        return [name, leg.version, leg.id.map { "stream \($0)" } ?? "", fields ?? ""]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
}

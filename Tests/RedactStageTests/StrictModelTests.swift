// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

/// Every text of the record model under `preset: strict`: planted secrets are removed.
@Suite struct StrictModelTests {
    /// One text of the model, and how to set it in an exchange that has all of them.
    struct Place: Sendable {
        /// The names of the properties on the path to it.
        let path: String
        let plant: @Sendable (inout Exchange, String) -> Void

        init(_ path: String, _ plant: @escaping @Sendable (inout Exchange, String) -> Void) {
            self.path = path
            self.plant = plant
        }
    }

    /// Secrets of several forms, all of which a place may contain.
    private static let secrets = [
        "Gk3x9QpL2mZw", "4716253849201736", "torvamelquins", "W3cm86H", "9f86d081884c7d659a2feaa0",
        "R2szeDlRcEwybVp3S3R2", "quinsobar-4711-Gk3x9QpL",
    ]

    /// Texts that a stage does not change: the component's id comes from the configuration.
    private static let exceptions: Set<String> = ["source"]

    static let places: [Place] = requestPlaces + responsePlaces + otherPlaces

    private static let requestPlaces: [Place] = [
        Place("request.method") { $0.request.method = ByteString($1) },
        Place("request.target") { $0.request.target = ByteString("/\($1)?\($1)=\($1)#\($1)") },
        Place("request.scheme") { $0.request.scheme = ByteString($1) },
        Place("request.authority") { $0.request.authority = ByteString("\($1):\($1)@a.test:80") },
        Place("request.version") { $0.request.version = ByteString($1) },
        Place("request.fields.name") { $0.request.fields.append(name: $1, value: "1") },
        Place("request.fields.value") { $0.request.fields = fields($1) },
        Place("request.body.bytes") { $0.request.body.bytes = Array(#"{"\#($1)":"\#($1)"}"#.utf8) },
        Place("request.body.coding") { $0.request.body.coding = ByteString($1) },
        Place("request.body.contentType") { $0.request.body.contentType = types($1) },
        Place("request.trailers.name") { $0.request.trailers.append(name: $1, value: "1") },
        Place("request.trailers.value") { $0.request.trailers = fields($1) },
    ]

    private static let responsePlaces: [Place] = [
        Place("response.reason") { $0.response?.reason = ByteString("OK \($1)") },
        Place("response.version") { $0.response?.version = ByteString($1) },
        Place("response.fields.name") { $0.response?.fields.append(name: $1, value: "1") },
        Place("response.fields.value") { $0.response?.fields = fields($1) },
        Place("response.body.bytes") { $0.response?.body.bytes = Array("see \($1)".utf8) },
        Place("response.body.coding") {
            $0.response?.body.bytes = []
            $0.response?.body.coding = ByteString("gzip, \($1)")
        },
        Place("response.body.contentType") { $0.response?.body.contentType = types($1) },
        Place("response.trailers.name") { $0.response?.trailers.append(name: $1, value: "1") },
        Place("response.trailers.value") { $0.response?.trailers = fields($1) },
        Place("response.interim.reason") {
            $0.response?.interim[0].reason = ByteString("Early \($1)")
        },
        Place("response.interim.fields.name") {
            $0.response?.interim[0].fields.append(name: $1, value: "1")
        },
        Place("response.interim.fields.value") { $0.response?.interim[0].fields = fields($1) },
    ]

    private static let otherPlaces: [Place] = [
        Place("connection.client") { $0.connection.client = $1 },
        Place("connection.server") { $0.connection.server = "\($1).test:443" },
        Place("connection.tls.version") { $0.connection.tls = TLSInfo(version: $1) },
        Place("connection.tls.cipher") { $0.connection.tls = TLSInfo(cipher: "TLS_\($1)") },
        Place("connection.tls.sni") { $0.connection.tls = TLSInfo(sni: "\($1).test") },
        Place("connection.tls.alpn") { $0.connection.tls = TLSInfo(alpn: $1) },
        Place("connection.serverTLS.version") { $0.connection.serverTLS = TLSInfo(version: $1) },
        Place("connection.serverTLS.cipher") { $0.connection.serverTLS = TLSInfo(cipher: $1) },
        Place("connection.serverTLS.sni") { $0.connection.serverTLS = TLSInfo(sni: $1) },
        Place("connection.serverTLS.alpn") { $0.connection.serverTLS = TLSInfo(alpn: $1) },
        Place("messages.type") { $0.messages[0].type = $1 },
        Place("messages.bytes") { $0.messages[0].bytes = Array("see \($1)".utf8) },
        Place("messages.event") { $0.messages[0].event = $1 },
        Place("messages.eventID") { $0.messages[0].eventID = $1 },
        Place("extraBox.extra.provenance.stage") { $0.extra?.provenance[0].stage = $1 },
        Place("extraBox.extra.provenance.hook") { $0.extra?.provenance[0].hook = $1 },
        Place("extraBox.extra.provenance.verdict") { $0.extra?.provenance[0].verdict = $1 },
        Place("extraBox.extra.provenance.decision") { $0.extra?.provenance[0].decision = $1 },
        Place("extraBox.extra.provenance.skipped") { $0.extra?.provenance[0].skipped = $1 },
        Place("extraBox.extra.provenance.changes.part") {
            $0.extra?.provenance[0].changes[0].part = "request.\($1)"
        },
        Place("extraBox.extra.provenance.changes.name") {
            $0.extra?.provenance[0].changes[0].name = $1
        },
        Place("extraBox.extra.provenance.changes.kind") {
            $0.extra?.provenance[0].changes[0].kind = $1
        },
        Place("extraBox.extra.provenance.details.name") {
            $0.extra?.provenance[0].details[0].name = $1
        },
        Place("extraBox.extra.provenance.details.value") {
            $0.extra?.provenance[0].details[0].value = "rule \($1)"
        },
        Place("extraBox.extra.notes.text") { $0.extra?.notes[0].text = "asked \($1)" },
        Place("extraBox.extra.notes.author") { $0.extra?.notes[0].author = $1 },
        Place("extraBox.extra.notes.mark") { $0.extra?.notes[0].mark = $1 },
        Place("extraBox.extra.stream.client.version") { $0.extra?.stream?.client?.version = $1 },
        Place("extraBox.extra.stream.server.version") { $0.extra?.stream?.server?.version = $1 },
        Place("extraBox.extra.grpc.service") { $0.extra?.grpc?.service = "shop.\($1)" },
        Place("extraBox.extra.grpc.method") { $0.extra?.grpc?.method = $1 },
        Place("extraBox.extra.grpc.message") { $0.extra?.grpc?.message = "no \($1)" },
        Place("original.method") { $0.original.method = ByteString($1) },
        Place("original.url") { $0.original.url = ByteString("https://\($1).test/\($1)?\($1)") },
        Place("tags.name") { $0.tags[$1] = "1" },
        Place("tags.value") {
            for name in ["note", "tapline.redacted", "tapline.note", "recorded_source"] {
                $0.tags[name] = $1
            }
        },
        Place("error.code") { $0.error?.code = $1 },
        Place("error.message") { $0.error?.message = "reset by \($1)" },
        Place("har") { $0.har = ByteString(#"{"entry":{"comment":"\#($1)"}}"#) },
    ]

    /// Returns a text in fields of all forms that the strict preset supports, and in others.
    private static func fields(_ secret: String) -> FieldSection {
        var fields: FieldSection = [:]
        for name in StrictRedactor.safeFields + ["X-Debug", "Authorization", "ETag", "User-Agent"] {
            fields.append(name: name, value: secret)
            fields.append(name: name, value: "a=\(secret); path=/\(secret), \(secret)")
            fields.append(name: name, value: "https://\(secret)/\(secret)")
        }
        fields.append(name: "Cookie", value: "\(secret)=\(secret)")
        fields.append(name: "Set-Cookie", value: "\(secret)=\(secret); \(secret)=\(secret)")
        fields.append(name: "Content-Disposition", value: "form-data; filename*=UTF-8''\(secret)")
        return fields
    }

    private static func types(_ secret: String) -> ByteString {
        ByteString("text/\(secret)+\(secret); charset=\(secret); \(secret)=1")
    }

    /// Returns an exchange without any empty property.
    private static func whole() -> Exchange {
        let fields: FieldSection = ["Vary": "Accept"]
        let body = Body(
            bytes: Array("null".utf8),
            size: 4,
            coding: "identity",
            decodedSize: 4,
            contentType: "application/json"
        )
        var whole = exchange(target: "/", fields: fields)
        whole.source = "replay"
        whole.request.body = body
        whole.request.trailers = fields
        whole.response = Response(
            status: 200,
            reason: "OK",
            fields: fields,
            body: body,
            trailers: fields,
            interim: [InterimResponse(status: 103, reason: "Early Hints", fields: fields)]
        )
        let one = Microseconds(1)
        whole.timing.dns = one
        whole.timing.connect = one
        whole.timing.tls = one
        whole.timing.send = one
        whole.timing.wait = one
        whole.timing.firstEvent = one
        whole.timing.receive = one
        whole.timing.total = one
        whole.connection = Connection(client: "10.0.0.1:1", server: "10.0.0.2:80", isReused: true)
        let tls = TLSInfo(
            version: "TLSv1.3",
            cipher: "TLS_AES_128_GCM_SHA256",
            sni: "shop.test",
            alpn: "h2",
            handshake: TLSInfo.Handshake(up: 1, down: 1)
        )
        whole.connection.tls = tls
        whole.connection.serverTLS = tls
        whole.bytes = ByteCounts()
        whole.messages = [
            StreamMessage(
                direction: .up,
                at: one,
                event: "message",
                eventID: "null",
                code: 1000,
                bytes: Array("true".utf8),
                size: 4
            )
        ]
        whole.extra = extra()
        whole.original = Original(method: "GET", url: "https://shop.test/", status: 200)
        whole.tags = ["tapline.note": "ok"]
        whole.error = ExchangeError(code: "reset", message: "connection reset")
        return whole
    }

    private static func extra() -> ExchangeExtra {
        let moment = Timestamp(microseconds: 1)
        var extra = ExchangeExtra()
        extra.provenance = [
            ProvenanceStep(
                stage: "null",
                hook: "request",
                verdict: "proceed",
                decision: "resumed",
                skipped: "not_asked",
                at: Microseconds(1),
                duration: Microseconds(1),
                delay: Microseconds(1),
                waited: Microseconds(1),
                changes: [
                    ProvenanceChange(
                        part: "request.header",
                        name: "accept",
                        kind: "changed",
                        before: 1,
                        after: 1
                    )
                ],
                details: [ProvenanceDetail(name: "null", value: "true")]
            )
        ]
        extra.replay = ReplayFacts(
            of: ExchangeID(high: 1, low: 2),
            due: moment,
            sent: moment,
            status: 503
        )
        extra.notes = [ExchangeNote(text: "true", author: "null", mark: "null", at: moment)]
        let fields = StreamLegs.FieldBytes(up: 1, down: 2)
        extra.stream = StreamLegs(
            client: StreamLegs.Leg(id: 3, version: "HTTP/2", fields: fields),
            server: StreamLegs.Leg(id: 1, version: "HTTP/1.1", fields: fields)
        )
        extra.grpc = GRPCFacts(service: "null", method: "null", status: 0, message: "true")
        return extra
    }

    /// The content of a value of the model.
    private struct Contents {
        /// Texts by the path of properties to them.
        var texts: [(path: String, bytes: [UInt8])] = []
        /// Properties that are empty or of an unsupported type.
        var unseen: [String] = []

        mutating func add(_ value: Any, _ path: String) {
            switch value {
            case let text as String: texts.append((path, Array(text.utf8)))
            case let text as ByteString: texts.append((path, Array(copying: text.span)))
            case let bytes as [UInt8]: texts.append((path, bytes))
            case let fields as FieldSection:
                if fields.isEmpty { unseen.append(path) }
                for position in fields.indices {
                    texts.append((path + ".name", Array(copying: fields.name(at: position))))
                    texts.append((path + ".value", Array(copying: fields.value(at: position))))
                }
            case let tags as Tags:
                if tags.isEmpty { unseen.append(path) }
                for tag in tags {
                    texts.append((path + ".name", Array(tag.name.utf8)))
                    texts.append((path + ".value", Array(tag.value.utf8)))
                }
            case is any BinaryInteger, is Bool: break
            default: addParts(value, path)
            }
        }

        private mutating func addParts(_ value: Any, _ path: String) {
            let mirror = Mirror(reflecting: value)
            if mirror.children.isEmpty, mirror.displayStyle != .enum { unseen.append(path) }
            let isPlain = mirror.displayStyle != .optional && mirror.displayStyle != .collection
            for child in mirror.children {
                let label = isPlain ? child.label.map { path.isEmpty ? $0 : ".\($0)" } : nil
                add(child.value, path + (label ?? ""))
            }
        }
    }

    private static func contents(_ exchange: Exchange) -> Contents {
        var contents = Contents()
        contents.add(exchange, "")
        return contents
    }

    /// The stage with `preset: strict`, reused for many exchanges.
    private struct Stage {
        private let stage: any RecordStage

        init(_ action: String = "pseudonym") throws {
            let factory = try #require(build("{preset: strict, action: \(action)}").factory)
            stage = try #require(
                try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
            )
        }

        func redacted(_ exchange: Exchange) throws -> Exchange {
            var result = exchange
            var context = ExchangeContext()
            _ = try stage.record(&result, &context)
            return result
        }
    }

    @Test func theTableContainsAllTextsOfTheModel() {
        let contents = Self.contents(Self.whole())
        #expect(contents.unseen == [])
        let paths = Set(contents.texts.map(\.path)).subtracting(Self.exceptions)
        #expect(paths == Set(Self.places.map(\.path)))
    }

    @Test func harmlessTextStaysInAllPlaces() throws {
        let whole = Self.whole()
        var made = try redact(whole, "preset: strict")
        #expect(!made.connection.client.hasPrefix("10.") && made.connection.client.hasSuffix(":1"))
        made.connection.client = whole.connection.client
        made.connection.server = whole.connection.server
        #expect(made == whole)
    }

    @Test(arguments: ["pseudonym", "mask", "hash", "remove"])
    func secretsPlantedInATextAreRemoved(action: String) throws {
        let stage = try Stage(action)
        for place in Self.places {
            for secret in Self.secrets {
                var planted = Self.whole()
                place.plant(&planted, secret)
                let before = Self.contents(planted).texts.filter { $0.path == place.path }
                let isPlanted = before.contains { Self.holds($0.bytes, secret) }
                #expect(isPlanted, "\(place.path): \(secret)")
                let made = try stage.redacted(planted)
                for (path, bytes) in Self.contents(made).texts where Self.holds(bytes, secret) {
                    let shown = String(decoding: bytes, as: UTF8.self)
                    Issue.record("'\(secret)' of \(place.path) stands in \(path): \(shown)")
                }
            }
        }
    }

    /// Whether a text contains a secret, or the longer half of it.
    private static func holds(_ bytes: [UInt8], _ secret: String) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        let half = secret.lowercased().prefix(max(7, secret.count * 2 / 3))
        return text.contains(half)
    }

    @Test(arguments: [
        "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
        "text/html", "application/xml", "text/event-stream", "text/csv", "application/javascript",
        "application/graphql", "text/plain", "application/yaml", "", "image/png", "text/css",
        "application/octet-stream", "application/protobuf", "application/pdf", "font/woff2",
        "text/plain; charset=koi8-r", "text/plain; charset=utf-16", "text/plain; charset=x-none",
        "application/http", "message/rfc822",
    ])
    func secretsInBodiesOfAnyTypeAreRemoved(type: String) throws {
        let stage = try Stage()
        for secret in Self.secrets {
            for text in Self.bodies(secret) {
                // The type comes from the field, or only from the recording.
                var declared = exchange(type: type, body: text)
                var recorded = exchange(body: text)
                recorded.request.body.contentType = ByteString(type)
                declared.messages = [StreamMessage(direction: .up, bytes: Array(text.utf8))]
                for planted in [declared, recorded] {
                    let made = try stage.redacted(planted)
                    for (path, bytes) in Self.contents(made).texts {
                        let shown = String(decoding: bytes, as: UTF8.self)
                        #expect(!Self.holds(bytes, secret), "\(type): \(path): \(shown)")
                    }
                }
            }
        }
    }

    /// Returns texts of many forms that contain a secret.
    private static func bodies(_ secret: String) -> [String] {
        [
            secret, #"{"\#(secret)":["\#(secret)"],"id":"\#(secret)"}"#,
            "\(secret)=\(secret)&a=\(secret)",
            #"for (;;);{"a":"\#(secret)"}"#, #"/* \#(secret) */ {"a":true}"#,
            "// \(secret)\n{\"a\":true}", #"{"a":true}\#(secret)"#, #"{"a":true} // \#(secret)"#,
            #"{"\#(secret)"#, #"{"a":"\#(secret)"#, #"{"a":1,"\#(secret)":"#, #"["\#(secret)" x]"#,
            "<\(secret):a \(secret)='\(secret)'>\(secret)</\(secret):a><!-- \(secret) -->",
            "\(secret),b\n1,\(secret)\n", "event: \(secret)\ndata: \(secret)\n\n",
            "--b\r\nX-\(secret): \(secret)\r\n\r\n\(secret)\r\n--b--\r\n\(secret)",
            "--b\r\n\(secret)\r\n\r\n\(secret)\r\n--b--\r\n",
            "query { user(id: \"\(secret)\") { \(secret) } }", "var \(secret) = `\(secret)`;",
            "GET /\(secret) HTTP/1.1\r\nCookie: a=\(secret)\r\n\r\n", "\u{FEFF}\(secret)",
        ]
    }
}

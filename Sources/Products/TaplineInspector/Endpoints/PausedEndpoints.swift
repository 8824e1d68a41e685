// SPDX-License-Identifier: MIT

internal import RulesStage
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineServe

/// `/api/paused`: the exchanges that wait for a decision.
enum PausedEndpoints {
    /// `GET /api/paused`.
    static func list(_ call: Call) -> ServedResponse {
        var json = JSONWriter()
        json.object { json in
            json.key("paused")
            json.array { json in
                for entry in call.context.control?.paused.all ?? [] {
                    json.object { $0.pausedMembers(entry) }
                }
            }
        }
        return ServedResponse(json: json)
    }

    /// `GET /api/paused/ID`.
    static func show(_ call: Call) throws(APIError) -> ServedResponse {
        let id = try call.id()
        guard let entry = call.context.control?.paused.entry(id) else { throw gone }
        var json = JSONWriter()
        json.object { json in
            json.pausedMembers(entry)
            if entry.record == nil { json.member("hidden", true) }
            if let record = entry.record ?? entry.harmlessRecord {
                json.key("record")
                json.record(record)
            }
        }
        return ServedResponse(json: json)
    }

    /// `POST /api/paused/ID/resume`.
    static func resume(_ call: Call) throws(APIError) -> ServedResponse {
        let id = try call.id()
        guard let paused = call.context.control?.paused, let entry = paused.entry(id) else {
            throw gone
        }
        let decided = try PausedDecision(call.request.body, in: entry.hook)
        // It may wait again by now, with its response.
        guard paused.resume(id, decided.decision, after: entry.hook) else { throw gone }
        return ServedResponse(200, type: "application/json", Array("{}".utf8))
    }

    /// The data of the event `paused`.
    static func event(_ paused: PausedExchanges) -> [UInt8] {
        let ids = paused.all.map(\.active.id)
        var json = JSONWriter()
        json.object { json in
            json.member("count", ids.count)
            json.key("ids")
            json.array { json in
                for id in ids { json.string(id.description) }
            }
        }
        return Array(copying: json.bytes)
    }

    fileprivate static let gone = APIError(404, "gone", "the exchange does not wait any longer")
}

/// A decision in JSON.
private struct PausedDecision {
    /// How many changes one decision may have.
    private static let maxChanges = 100

    private(set) var decision = PauseDecision()

    init(_ body: [UInt8], in hook: Plane) throws(APIError) {
        var parser = JSONParser(maxDepth: 16)
        do {
            let document = try parser.parse(body.span)
            try read(document.root, hook)
        } catch let error as APIError {
            throw error
        } catch {
            throw APIError(400, "bad_json", "the body is not JSON")
        }
    }

    private mutating func read(_ root: JSONValue, _ hook: Plane) throws(APIError) {
        // A decision about the request is none about the response.
        if let meant = root.member("hook")?.asString, meant != hook.name {
            throw PausedEndpoints.gone
        }
        let edits = try Self.edits(root, hook)
        if !edits.isEmpty {
            decision.edit = { exchange in
                let isWhole = edits.reduce(true) { $1.apply(to: &exchange) && $0 }
                if !isWhole { exchange.tags[Pause.tag] = "changed in part" }
            }
        }
        if root.member("abort")?.asBool == true {
            decision.action = .abort
        } else if let answer = root.member("respond"), !answer.isNull {
            decision.action = .respond(try Self.response(answer))
        }
    }

    private static func edits(_ root: JSONValue, _ hook: Plane) throws(APIError) -> [ExchangeEdit] {
        var edits: [ExchangeEdit] = []
        guard let list = root.member("changes") else { return edits }
        var changes = list.elements
        while let change = changes.next() {
            guard let place = change.member("at")?.asString else {
                throw APIError(400, "bad_value", "a change has no place")
            }
            let isRemoved = change.member("remove")?.asBool == true
            let value = isRemoved ? nil : change.member("value")?.asString
            guard isRemoved || value != nil else {
                throw APIError(400, "bad_value", "the change of '\(place)' has no value")
            }
            do throws(ExchangeEdit.Refusal) {
                let edit = try ExchangeEdit(at: place, value: value)
                guard edit.isOfResponse == (hook == .response) else {
                    throw ExchangeEdit.Refusal(
                        description: hook == .response
                            ? "the request has been sent" : "there is no response yet"
                    )
                }
                edits.append(edit)
            } catch {
                throw APIError(400, "bad_value", error.description)
            }
            guard edits.count <= maxChanges else {
                throw APIError(400, "bad_value", "there are too many changes")
            }
        }
        return edits
    }

    private static func response(_ value: JSONValue) throws(APIError) -> Response {
        guard let status = value.member("status")?.asInt64, 200...599 ~= status else {
            throw APIError(400, "bad_value", "wrong status; expected 200 to 599")
        }
        let number = Int(status)
        var response = Response(
            status: number,
            reason: ByteString(Response.reason(of: number)),
            body: Body([])
        )
        if let list = value.member("headers") {
            var headers = list.elements
            while let header = headers.next() {
                var parts = header.elements
                guard let name = parts.next()?.asString, let text = parts.next()?.asString,
                    (try? ExchangeEdit(at: "response.header.\(name)", value: text)) != nil
                else { throw APIError(400, "bad_value", "a header is not valid") }
                response.fields.append(name: name.utf8.span, value: text.utf8.span)
            }
        }
        if let body = value.member("body"), !body.isNull {
            if let text = body.member("text")?.asString {
                response.body = Body(Array(text.utf8))
            } else {
                var bytes: [UInt8] = []
                guard let text = body.member("base64")?.asString,
                    Base64.decode(text.utf8.span, into: &bytes) == nil
                else {
                    throw APIError(400, "bad_value", "the body has neither 'text' nor 'base64'")
                }
                response.body = Body(bytes)
            }
        }
        return response
    }
}

extension PausedExchanges.Entry {
    /// A record of the facts that may be shown in any case.
    fileprivate var harmlessRecord: Record? {
        var exchange = Exchange(id: active.id)
        exchange.source = active.source
        exchange.started = active.started
        exchange.request.method = active.method
        exchange.request.scheme = active.scheme
        let port = active.port.map { ":\($0)" } ?? ""
        exchange.request.authority = ByteString("\(active.host)\(port)")
        exchange.request.target = ByteString("/")
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else { return nil }
        return record
    }
}

extension JSONWriter {
    fileprivate mutating func pausedMembers(_ entry: PausedExchanges.Entry) {
        member("id", entry.active.id.description)
        member("at", entry.at.microseconds)
        member("until", entry.until.microseconds)
        member("hook", entry.hook.name)
        member("rule", entry.rule)
        guard let request = entry.record?.exchange.request else {
            if !entry.active.method.isEmpty { member("method", entry.active.method.span) }
            if !entry.active.scheme.isEmpty { member("scheme", entry.active.scheme.span) }
            if !entry.active.host.isEmpty { member("host", entry.active.host.span) }
            return
        }
        let (host, _) = request.hostAndPort
        let target = request.target
        member("method", request.method.span)
        member("scheme", request.scheme.span)
        member("host", host.span)
        member("path", target.span.extracting(TargetParts(target.span).path))
    }
}

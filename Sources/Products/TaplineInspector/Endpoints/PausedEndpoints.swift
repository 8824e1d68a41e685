// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineOperations
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
        let isResumed: Bool
        do throws(PauseRefusal) {
            // It may wait again by now, with its response.
            isResumed = try paused.resume(id, decided.decision, after: entry.hook)
        } catch {
            throw APIError(409, "not_possible", error.problems)
        }
        guard isResumed else { throw gone }
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

    static let gone = APIError(404, "gone", "the exchange does not wait any longer")
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

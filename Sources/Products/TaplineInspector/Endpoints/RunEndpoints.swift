// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineServe
internal import TaplineStore
internal import TaplineSystem

/// The endpoints that start and show replays and mocks.
enum RunEndpoints {
    /// `POST /api/runs {kind, filter, to, rate, speed, unsafe}`.
    static func start(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let runs = try runs(call)
        guard let kind = RunRequest.Kind(rawValue: try call.required("kind")) else {
            throw APIError(400, "bad_value", "wrong value of 'kind'; expected replay or mock")
        }
        let stores = try open.stores()
        let filter = try FilterText(try call.text("filter") ?? "") { try stores.savedFilters() }
        let request = RunRequest(
            kind,
            of: recordings(
                (0..<stores.count).map { stores[$0].path },
                filter.text,
                besides: runs.recordingFolder
            ),
            filter: filter.text,
            to: kind == .replay ? try call.required("to") : "",
            rate: try call.text("rate"),
            speed: try call.text("speed"),
            isUnsafe: try call.flag("unsafe")
        )
        let number = try runs.start(request, at: WallClock.microseconds)
        var json = JSONWriter()
        json.object { $0.member("id", number) }
        return ServedResponse(json: json)
    }

    /// Returns the stores that a run reads: what earlier replays have recorded is no part of the
    /// recording, unless exchanges are chosen by their ids.
    private static func recordings(
        _ paths: [String],
        _ filter: String,
        besides folder: String?
    ) -> [String] {
        guard let folder, !filter.hasPrefix("id in [") else { return paths }
        return paths.filter { !$0.hasPrefix("\(folder)/") }
    }

    /// `GET /api/runs`.
    static func list(_ call: Call) -> ServedResponse {
        var json = JSONWriter()
        json.object { json in
            json.key("runs")
            json.array { json in
                for entry in call.context.runs?.all ?? [] { json.object { $0.run(entry) } }
            }
        }
        return ServedResponse(json: json)
    }

    /// `POST /api/runs/ID/stop`.
    static func stop(_ call: Call) throws -> ServedResponse {
        try entry(call).run.stop()
        return .noContent
    }

    /// `GET /api/runs/ID/differences`.
    static func differences(_ call: Call) throws -> ServedResponse {
        guard let bytes = try entry(call).run.differences else {
            throw APIError(404, "not_compared", "the answers are not compared, or not yet")
        }
        var json = JSONWriter()
        json.raw(bytes.span)
        return ServedResponse(json: json)
    }

    private static func runs(_ call: Call) throws(APIError) -> StartedRuns {
        if let runs = call.context.runs { return runs }
        throw APIError(
            409,
            "no_actions",
            "this page may not start anything",
            help: "Start the inspector with '--actions', or with the pipeline."
        )
    }

    private static func entry(_ call: Call) throws(APIError) -> StartedRuns.Entry {
        let runs = try runs(call)
        guard let number = call.values.first.flatMap({ Int($0) }), let entry = runs.run(number)
        else { throw APIError(404, "unknown_id", "there is no such run") }
        return entry
    }
}

extension Call {
    /// Reads a flag of the JSON in the body; `false` if it is absent.
    fileprivate func flag(_ name: StaticString) throws(APIError) -> Bool {
        var parser = JSONParser(maxDepth: 8)
        let body = request.body
        do {
            let document = try parser.parse(body.span)
            guard let value = document.root.member(name), !value.isNull else { return false }
            if let flag = value.asBool { return flag }
        } catch {
            throw APIError(400, "bad_json", "the body is not JSON")
        }
        throw APIError(400, "bad_value", "wrong value of '\(name)'; expected true or false")
    }
}

extension JSONWriter {
    fileprivate mutating func run(_ entry: StartedRuns.Entry) {
        let progress = entry.run.progress
        member("id", entry.number)
        member("kind", entry.request.kind.rawValue)
        member("filter", entry.request.filter)
        if !entry.request.target.isEmpty { member("to", entry.request.target) }
        member("at", entry.started)
        member("running", progress.isRunning)
        if let failure = progress.failure { member("failure", failure) }
        if let url = progress.url { member("url", url) }
        key("lines")
        array { json in
            for line in progress.lines { json.string(line) }
        }
        if let compared = progress.compared {
            member("pairs", compared.pairs)
            member("differing", compared.differing)
        }
    }
}

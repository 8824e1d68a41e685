// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineJSON
internal import TaplineModel
internal import TaplineOperations
internal import TaplineServe
internal import TaplineSystem

/// Answers the requests to a control listener.
///
/// **Isolation**: the loop of the server; answers are made on a queue of their own.
struct ControlHandler: Sendable {
    private enum Endpoint: Sendable {
        case metrics
        case live
        case ready
        case status
        case blocked
        case top
        case reload
        case drain

        var changes: Bool {
            switch self {
            case .reload, .drain: true
            default: false
            }
        }
    }

    /// The endpoints, as an unknown path lists them.
    private static let list = [
        "GET /metrics", "GET /health/live", "GET /health/ready", "GET /status", "GET /why-blocked",
        "GET /top", "POST /reload", "POST /drain",
    ]

    private let operations: any PipelineOperations
    private let reloading: (any PipelineReloading)?
    private let rules: ControlAccess
    private let routes: Router<Endpoint>
    private let queue = DispatchQueue(label: "tapline.control")

    init(
        _ operations: any PipelineOperations,
        _ reloading: (any PipelineReloading)?,
        rules: ControlAccess
    ) {
        self.operations = operations
        self.reloading = reloading
        self.rules = rules
        var routes = Router<Endpoint>()
        routes.add("GET", "/metrics", .metrics)
        routes.add("GET", "/health/live", .live)
        routes.add("GET", "/health/ready", .ready)
        routes.add("GET", "/status", .status)
        routes.add("GET", "/why-blocked", .blocked)
        routes.add("GET", "/top", .top)
        routes.add("POST", "/reload", .reload)
        routes.add("POST", "/drain", .drain)
        self.routes = routes
    }

    func handle(_ request: ServedRequest, _ responder: Responder) {
        let match = request.segments.map { routes.match(request.method, $0) } ?? .none
        var changes = false
        if case .found(let endpoint, _) = match { changes = endpoint.changes }
        if let refusal = rules.refusal(of: request, changes: changes) {
            return responder.send(refusal.response)
        }
        switch match {
        case .found(let endpoint, _):
            queue.async { run(endpoint, request, responder) }
        case .otherMethod(let methods):
            let allowed = methods.joined(separator: ", ")
            let message = "\(request.method) is not possible here; use \(allowed)"
            var response = ControlRefusal(405, "method", message).response
            response.fields.append(name: "Allow", value: allowed)
            responder.send(response)
        case .none:
            let message = "unknown path; available: \(Self.list.joined(separator: ", "))"
            responder.send(ControlRefusal(404, "unknown_path", message).response)
        }
    }

    private func run(_ endpoint: Endpoint, _ request: ServedRequest, _ responder: Responder) {
        switch endpoint {
        case .metrics: responder.send(metrics(request))
        case .live: responder.send(Self.answer { $0.member("live", true) })
        case .ready: responder.send(ready)
        case .status:
            let report = StatusReport(operations.status, reloading?.reloads, ProcessFigures())
            responder.send(ServedResponse(control: report.json))
        case .top:
            let report = StatusReport(operations.status, reloading?.reloads, ProcessFigures())
            responder.send(ServedResponse(control: report.top))
        case .blocked: responder.send(blocked(request))
        case .reload: reload(responder)
        case .drain:
            operations.drain()
            responder.send(Self.answer(202) { $0.member("draining", true) })
        }
    }

    private func metrics(_ request: ServedRequest) -> ServedResponse {
        let form = MetricsText.Form(accept: request.field("Accept"))
        let metrics = PipelineMetrics(
            status: operations.status,
            reloads: reloading?.reloads,
            process: ProcessFigures()
        )
        var response = ServedResponse(200, type: form.type, metrics.text(form))
        response.fields.append(name: "Cache-Control", value: "no-store")
        return response
    }

    private var ready: ServedResponse {
        let obstacles = operations.status.obstacles
        return Self.answer(obstacles.isEmpty ? 200 : 503) { json in
            json.member("ready", obstacles.isEmpty)
            json.key("reasons")
            json.array { json in for text in obstacles { json.string(text) } }
        }
    }

    private func blocked(_ request: ServedRequest) -> ServedResponse {
        let blockages = operations.status.blockages
        if request.field("Accept")?.hasPrefix("text/plain") == true {
            let lines = blockages.isEmpty ? ["nothing is blocked"] : blockages.map(\.text)
            return ServedResponse(200, text: lines.joined(separator: "\n") + "\n")
        }
        return Self.answer { json in
            json.key("blocked")
            json.array { json in for one in blockages { one.write(to: &json) } }
        }
    }

    private func reload(_ responder: Responder) {
        guard let reloading else {
            let message = "this run cannot reload its configuration"
            return responder.send(ControlRefusal(501, "reload", message).response)
        }
        reloading.reload { outcome in
            switch outcome {
            case .applied(let generation, let changed):
                responder.send(
                    Self.answer { json in
                        json.member("generation", generation)
                        json.key("changed")
                        json.array { json in for id in changed { json.string(id) } }
                    }
                )
            case .failed(let reasons):
                responder.send(ControlRefusal(422, "configuration", reasons).response)
            }
        }
    }

    private static func answer(
        _ status: Int = 200,
        _ members: (inout JSONWriter) -> Void
    ) -> ServedResponse {
        var json = JSONWriter()
        json.object(members)
        return ServedResponse(control: Array(copying: json.bytes), status: status)
    }
}

extension ServedResponse {
    /// Makes an answer from JSON.
    fileprivate init(control json: [UInt8], status: Int = 200) {
        self.init(status, type: "application/json", json + [0x0A])
        fields.append(name: "Cache-Control", value: "no-store")
    }
}

extension ControlRefusal {
    /// The answer.
    fileprivate var response: ServedResponse {
        var json = JSONWriter()
        json.object { json in
            json.key("error")
            json.object { json in
                json.member("code", code)
                json.member("message", message)
            }
        }
        var response = ServedResponse(control: Array(copying: json.bytes), status: status)
        if status == 401 { response.fields.append(name: "WWW-Authenticate", value: "Bearer") }
        return response
    }
}

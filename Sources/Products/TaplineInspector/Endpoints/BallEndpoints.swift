// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineServe
internal import TaplineStore

/// Which pages may show the ball, and the token of its script.
struct BallAccess: Sendable {
    /// The origins of the pages, as browsers send them.
    let origins: [String]
    /// Whether these pages may read the exchanges of other pages, too.
    let showsAll: Bool
    /// The token, which is good for nothing but the ball.
    let token = String(decoding: Sessions.secret(), as: UTF8.self)

    init(origins: [String], showsAll: Bool) {
        self.origins = origins
        self.showsAll = showsAll
    }
}

/// What pages under development may read: the script of the ball, and rows.
///
/// These are the only answers that another page can read.
struct BallEndpoints: Sendable {
    /// How many of the newest exchanges are counted.
    private static let maxCounted = 1000
    private static let maxRows = 50
    /// How long exchanges are searched for.
    private static let patience = DispatchTimeInterval.milliseconds(200)

    private let access: BallAccess
    private let context: InspectorContext
    private let page: Page

    init(_ access: BallAccess, _ context: InspectorContext, _ page: Page) {
        self.access = access
        self.context = context
        self.page = page
    }

    /// Whether a path belongs to the ball.
    static func answers(_ segments: [String]) -> Bool {
        segments == ["ball.js"] || segments.starts(with: ["api", "ball"])
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - path: The segments after `/api/ball`; empty for the script.
    ///   - responder: Takes the answer.
    func handle(_ request: ServedRequest, _ path: [String], _ responder: Responder) {
        let refusal = context.rules.refusal(of: request, from: access.origins, token: access.token)
        if let refusal {
            let error = APIError(refusal.status, refusal.rawValue, refusal.message)
            return send(error.response, nil, responder)
        }
        let origin = request.field("Origin")
        guard request.method == "GET" else {
            return send(
                APIError(405, "method", "the ball can only read").response,
                origin,
                responder
            )
        }
        switch path {
        case [] where request.segments == ["ball.js"]:
            let script = page.files["ball.js"]?.response(to: request)
            send(script ?? Self.unknown.response, origin, responder)
        case ["rows"]:
            let isOfPage = request.query("scope") != "all"
            guard isOfPage || access.showsAll else {
                return send(Self.onlyOfPage.response, origin, responder)
            }
            run(origin, responder) { try rows(of: isOfPage ? origin : nil, $0) }
        case _ where path.count == 2 && path[0] == "exchanges":
            run(origin, responder) { try exchange(path[1], of: origin, $0) }
        default: send(Self.unknown.response, origin, responder)
        }
    }

    private static let unknown = APIError(404, "unknown_path", "there is no such path")
    private static let onlyOfPage = APIError(
        403,
        "scope",
        "the ball shows only the exchanges of its page"
    )

    // MARK: Answers

    /// `GET /api/ball/rows`.
    private func rows(of origin: String?, _ open: OpenStores) throws -> ServedResponse {
        let stores = try open.stores()
        var query = StoreQuery(
            try origin.map { try Filter(Self.filter(of: $0), inStore: true) },
            order: .newestFirst,
            limit: Self.maxCounted,
            parts: JSONWriter.rowParts
        )
        let progress = QueryProgress()
        query.progress = progress
        let end = DispatchWorkItem { progress.cancel() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: end)
        defer { end.cancel() }
        var found: [StoredExchange] = []
        var (count, errors) = (0, 0)
        do {
            try stores.forEach(query) { stored in
                count += 1
                if Self.isError(stored.exchange) { errors += 1 }
                if found.count < Self.maxRows { found.append(stored) }
            }
        } catch is QueryCancelled {}
        var json = JSONWriter()
        json.object { json in
            json.member("count", count)
            json.member("errors", errors)
            json.member("more", count == Self.maxCounted || progress.isCancelled)
            json.member("all", access.showsAll)
            json.key("rows")
            json.array { json in
                for stored in found { json.row(stored) }
            }
        }
        return ServedResponse(json: json)
    }

    /// `GET /api/ball/exchanges/ID`.
    private func exchange(
        _ text: String,
        of origin: String?,
        _ open: OpenStores
    ) throws -> ServedResponse {
        guard let id = ExchangeID(text), let prefix = IDPrefix(id.description) else {
            throw APIError.unknownID
        }
        let stored = try open.stores().exchange(with: prefix)
        if !access.showsAll {
            guard let origin, try Filter(Self.filter(of: origin)).matches(stored.exchange) else {
                throw APIError.unknownID
            }
        }
        var json = JSONWriter()
        json.object { json in
            json.key("row")
            json.row(stored)
            if let message = stored.exchange.error?.message { json.member("message", message) }
        }
        return ServedResponse(json: json)
    }

    /// The exchanges that a page of an origin has asked for, and those with its own server.
    static func filter(of origin: String) -> String {
        let text = FilterLiteral.text(origin)
        var conditions = [
            "request.header[\"origin\"] == \(text)",
            "request.header[\"referer\"] like \(FilterLiteral.text(origin + "/*"))",
        ]
        let start = origin.hasPrefix("https://") ? "https://" : "http://"
        let authority = ByteString(String(origin.dropFirst(start.count)))
        let parts = AuthorityParts(authority.span)
        let host = String(
            decoding: Array(copying: authority.span.extracting(parts.host)),
            as: UTF8.self
        )
        let scheme = ByteString(start == "https://" ? "https" : "http")
        if let port = parts.portNumber(authority.span, scheme: scheme.span) {
            conditions.append("host == \(FilterLiteral.text(host)) and port == \(port)")
        }
        return conditions.joined(separator: " or ")
    }

    private static func isError(_ exchange: Exchange) -> Bool {
        exchange.state != .completed || (exchange.response?.status ?? 0) >= 400
    }

    // MARK: Sending

    private func run(
        _ origin: String?,
        _ responder: Responder,
        _ answer: @escaping @Sendable (OpenStores) throws -> ServedResponse
    ) {
        let isRunning = context.workers(.quick).run { open in
            do {
                send(try answer(open), origin, responder)
            } catch {
                send(APIError(any: error).response, origin, responder)
            }
        }
        if !isRunning {
            send(APIError(503, "busy", "too many queries are running").response, origin, responder)
        }
    }

    /// Sends an answer, which the page of an origin can read.
    private func send(_ response: ServedResponse, _ origin: String?, _ responder: Responder) {
        var response = response
        for (name, value) in InspectorFields.ball(for: origin) {
            response.fields.append(name: name, value: value)
        }
        responder.send(response)
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineServe

/// What answers a call of the API.
struct Endpoint: Sendable {
    /// How it answers.
    enum Run: Sendable {
        case login
        case events
        /// With a whole response, made on a thread of the stores.
        case answer(InspectorContext.Pool, @Sendable (Call, OpenStores) throws -> ServedResponse)
        /// With a response that comes when it is ready; the first one counts. The loop waits until
        /// the call returns.
        case later(@Sendable (Call, @escaping @Sendable (ServedResponse) -> Void) throws -> Void)
        /// Piece by piece, on a thread of the stores.
        case stream(@Sendable (Call, OpenStores, Responder) throws -> Void)
    }

    /// Who may call it.
    let kind: AccessRules.Kind
    let run: Run

    /// Whether a call goes on after its client has gone or has closed its half of the connection.
    ///
    /// A change that was asked for is made. Long calls change nothing.
    var outlivesClient: Bool {
        if case .answer(.quick, _) = run { kind == .change } else { false }
    }

    /// The table of all paths.
    static func routes() -> Router<Endpoint> {
        var routes = Router<Endpoint>()
        func add(_ method: String, _ path: String, _ kind: AccessRules.Kind, _ run: Run) {
            routes.add(method, "/api/" + path, Endpoint(kind: kind, run: run))
        }
        func read(
            _ path: String,
            _ pool: InspectorContext.Pool = .quick,
            _ answer: @escaping @Sendable (Call, OpenStores) throws -> ServedResponse
        ) {
            add("GET", path, .read, .answer(pool, answer))
        }
        func change(
            _ path: String,
            _ answer: @escaping @Sendable (Call, OpenStores) throws -> ServedResponse
        ) {
            add("POST", path, .change, .answer(.quick, answer))
        }
        add("POST", "login", .login, .login)
        add("GET", "events", .read, .events)
        read("info") { try InfoEndpoint.answer($0, $1) }
        read("rows") { try ListEndpoints.rows($0, $1) }
        read("locate") { try ListEndpoints.locate($0, $1) }
        change("cancel") { try ListEndpoints.cancel($0, $1) }
        read("check") { try FilterEndpoints.check($0, $1) }
        read("complete") { try FilterEndpoints.complete($0, $1) }
        read("saved") { try FilterEndpoints.saved($0, $1) }
        change("saved") { try FilterEndpoints.save($0, $1) }
        change("saved/remove") { try FilterEndpoints.remove($0, $1) }
        read("facets", .long) { try OverviewEndpoints.facets($0, $1) }
        read("timeline", .long) { try OverviewEndpoints.timeline($0, $1) }
        read("apis", .long) { try OverviewEndpoints.apis($0, $1) }
        read("separates", .long) { try OverviewEndpoints.separates($0, $1) }
        read("exchanges/{}") { try ExchangeEndpoints.show($0, $1) }
        read("exchanges/{}/draft") { try ResendEndpoints.draft($0, $1) }
        read("exchanges/{}/group") { try ExchangeEndpoints.group($0, $1) }
        read("exchanges/{}/messages") { try ExchangeEndpoints.messages($0, $1) }
        read("exchanges/{}/body/{}") { try BodyEndpoint.answer($0, $1) }
        read("exchanges/{}/export") { try ExportEndpoints.one($0, $1) }
        add("POST", "resend", .change, .later { try ResendEndpoints.resend($0, $1) })
        change("exchanges/{}/notes") { try AnnotationEndpoints.note($0, $1) }
        change("exchanges/{}/mark") { try AnnotationEndpoints.mark($0, $1) }
        change("exchanges/{}/tags") { try AnnotationEndpoints.tag($0, $1) }
        read("rules") { call, _ in try RuleEndpoints.list(call) }
        change("rules/check") { call, _ in try RuleEndpoints.check(call) }
        change("rules/save") { call, _ in try RuleEndpoints.save(call) }
        add("POST", "rules/try", .change, .answer(.long) { try RuleTryEndpoint.answer($0, $1) })
        read("paused") { call, _ in PausedEndpoints.list(call) }
        read("paused/{}") { call, _ in try PausedEndpoints.show(call) }
        change("paused/{}/resume") { call, _ in try PausedEndpoints.resume(call) }
        read("runs") { call, _ in RunEndpoints.list(call) }
        change("runs") { try RunEndpoints.start($0, $1) }
        change("runs/{}/stop") { call, _ in try RunEndpoints.stop(call) }
        read("runs/{}/differences") { call, _ in try RunEndpoints.differences(call) }
        add("GET", "export", .read, .stream { try ExportEndpoints.all($0, $1, $2) })
        return routes
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineServe
internal import TaplineStore

/// Answers requests, or has threads answer them.
///
/// **Isolation**: the loop of the server.
struct RequestHandler: Sendable {
    private let context: InspectorContext
    private let page = Page()
    private let routes = Endpoint.routes()

    init(_ context: InspectorContext) { self.context = context }

    func handle(_ request: ServedRequest, _ responder: Responder) {
        guard let segments = request.segments else {
            return send(APIError(404, "unknown_path", "there is no such path"), responder)
        }
        if let ball = context.ball, BallEndpoints.answers(segments) {
            let endpoints = BallEndpoints(ball, context, page)
            return endpoints.handle(request, Array(segments.dropFirst(2)), responder)
        }
        guard segments.first == "api" else { return servePage(request, segments, responder) }
        switch routes.match(request.method, segments) {
        case .found(let endpoint, let values):
            if refuses(request, endpoint.kind, responder) { return }
            let call = Call(request: request, values: values, context: context)
            run(endpoint, call, responder)
        case .otherMethod(let methods):
            if refuses(request, .read, responder) { return }
            var response = APIError(405, "method", "the path has other methods").response
            response.fields.append(name: "Allow", value: methods.joined(separator: ", "))
            send(response, InspectorFields.answer, responder)
        case .none:
            if refuses(request, .read, responder) { return }
            send(APIError(404, "unknown_path", "there is no such path"), responder)
        }
    }

    // MARK: The page

    private func servePage(
        _ request: ServedRequest,
        _ segments: [String],
        _ responder: Responder
    ) {
        if refuses(request, .page, responder) { return }
        guard request.method == "GET" || request.method == "HEAD" else {
            return send(APIError(405, "method", "the path has other methods"), responder)
        }
        if segments == [""] {
            return send(page.index.response(to: request), InspectorFields.page, responder)
        }
        if context.passwordLogin != nil, segments == ["login"] {
            return send(page.login.response(to: request), InspectorFields.page, responder)
        }
        guard segments.count == 2, segments[0] == page.folder, let file = page.files[segments[1]]
        else {
            return send(APIError(404, "unknown_path", "there is no such path"), responder)
        }
        send(file.response(to: request), InspectorFields.file, responder)
    }

    // MARK: The API

    private func run(_ endpoint: Endpoint, _ call: Call, _ responder: Responder) {
        switch endpoint.run {
        case .login: login(call, responder)
        case .events: listen(responder)
        case .answer(let pool, let answer):
            if !endpoint.outlivesClient { responder.whenAbandoned { call.progress.cancel() } }
            start(pool, call, responder) { open in try answer(call, open) }
        case .later(let begin):
            do {
                try begin(call) { send($0, InspectorFields.answer, responder) }
            } catch {
                send(APIError(any: error), responder)
            }
        case .stream(let write):
            responder.whenAbandoned { call.progress.cancel() }
            let isRunning = context.workers(.long).run(unlessCancelled: call.progress) { open in
                do {
                    try write(call, open, responder)
                } catch {
                    send(APIError(any: error), responder)
                }
            }
            if !isRunning { send(APIError.busy, responder) }
        }
    }

    private func start(
        _ pool: InspectorContext.Pool,
        _ call: Call,
        _ responder: Responder,
        _ answer: @escaping @Sendable (OpenStores) throws -> ServedResponse
    ) {
        let isRunning = context.workers(pool).run(unlessCancelled: call.progress) { open in
            do {
                send(try answer(open), InspectorFields.answer, responder)
            } catch {
                send(APIError(any: error), responder)
            }
        }
        if !isRunning { send(APIError.busy, responder) }
    }

    /// `POST /api/login`; `with` names what the page asks for next, `rows` or `info`, which saves it calls.
    private func login(_ call: Call, _ responder: Responder) {
        do throws(APIError) {
            let wanted = try call.text("with")
            guard [nil, "rows", "info"].contains(wanted) else {
                throw APIError(400, "bad_value", "wrong value of 'with'; expected rows or info")
            }
            let session = try session(for: call)
            guard let wanted else {
                return send(answer(session, nil, nil), InspectorFields.answer, responder)
            }
            let isRunning = context.workers(.quick).run { open in
                // Without one of them, the page calls for it, and gets the error.
                let info = try? InfoEndpoint.answer(call, open)
                let rows = wanted == "rows" ? try? ListEndpoints.rows(call, open) : nil
                send(answer(session, info, rows), InspectorFields.answer, responder)
            }
            if !isRunning {
                send(answer(session, nil, nil), InspectorFields.answer, responder)
            }
        } catch {
            send(error, responder)
        }
    }

    /// Logs a browser in by the password if the server has one, and else by the token.
    private func session(for call: Call) throws(APIError) -> AccessRules.Session {
        if let login = context.passwordLogin {
            try login.check(
                try call.text("password"),
                from: call.request.client,
                cookies: AccessRules.cookies(
                    named: PasswordLogin.cookie(beside: context.rules.cookie),
                    in: call.request
                )
            )
            return context.sessions.open()
        }
        if let session = context.sessions.login(try call.required("token")) { return session }
        let help = "Open the address that the command printed."
        throw APIError(401, "token", "the token is wrong", help: help)
    }

    private func answer(
        _ session: AccessRules.Session,
        _ info: ServedResponse?,
        _ rows: ServedResponse?
    ) -> ServedResponse {
        var json = JSONWriter()
        json.object { json in
            json.member("key", String(decoding: session.key, as: UTF8.self))
            if let info {
                json.key("info")
                json.raw(info.body.span)
            }
            if let rows {
                json.key("rows")
                json.raw(rows.body.span)
            }
        }
        var response = ServedResponse(json: json)
        response.fields.append(name: "Set-Cookie", value: context.rules.setCookie(session))
        if let login = context.passwordLogin {
            let value = login.remember(beside: context.rules.cookie)
            response.fields.append(name: "Set-Cookie", value: value)
        }
        return response
    }

    /// `GET /api/events`.
    private func listen(_ responder: Responder) {
        var head = ServedResponse(200, type: ServerSentEvents.type)
        add(InspectorFields.answer, to: &head)
        let stream = responder.stream(head)
        if !context.hub.add(stream) { stream.finish() }
    }

    // MARK: Answers

    /// Answers a request that is not allowed.
    private func refuses(
        _ request: ServedRequest,
        _ kind: AccessRules.Kind,
        _ responder: Responder
    ) -> Bool {
        let refusal = context.rules.refusal(
            of: request,
            for: kind,
            sessions: context.sessions.current
        )
        guard let refusal else { return false }
        var error = APIError(refusal.status, refusal.rawValue, refusal.message)
        if [.cookie, .key].contains(refusal) {
            let hasPassword = context.passwordLogin != nil
            error.login = hasPassword ? "password" : nil
            error.help =
                hasPassword
                ? "Log in with the password." : "Open the address that the command printed."
        }
        send(error, responder)
        return true
    }

    private func send(_ error: APIError, _ responder: Responder) {
        send(error.response, InspectorFields.answer, responder)
    }

    private func send(
        _ response: ServedResponse,
        _ fields: [(String, String)],
        _ responder: Responder
    ) {
        var response = response
        add(fields, to: &response)
        responder.send(response)
    }

    /// Adds the fields that a response does not have already.
    private func add(_ fields: [(String, String)], to response: inout ServedResponse) {
        for (name, value) in fields where !response.fields.contains(name) {
            response.fields.append(name: name, value: value)
        }
    }
}

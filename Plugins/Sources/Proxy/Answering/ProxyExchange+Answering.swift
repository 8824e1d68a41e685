// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineMatching
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Requests that a recording answers in place of their server.
extension ProxyExchange {
    /// How many bytes of the request's body are read before it is answered.
    var comparedBody: Int { worker.answers == nil ? 0 : WorkerAnswers.maxBody }

    /// Answers the request, or sends it to its server.
    func answerOrForward() {
        guard let answers = worker.answers else { return forward() }
        let asking = asking(answers.settings)
        switch answers.answer(held.exchange.request, asking) {
        case .recorded(let answer): send(answer, answers.settings)
        case .none(let found): miss(found, asking, answers)
        }
    }

    private func send(_ answer: RecordedAnswer, _ settings: AnswerSettings) {
        held.exchange.setExtra { $0.replay = ReplayFacts(of: answer.id) }
        switch answer.outcome {
        case .response(var response):
            if settings.hasTemplates {
                response.repeatValues(
                    of: held.exchange.request,
                    insteadOf: answer.request,
                    masks: settings.masks
                )
            }
            held.exchange.response = response
        case .failure(let error):
            held.exchange.error = error
            return perform(machine.aborted())
        }
        let wait = Microseconds(scaling: answer.wait, by: settings.latency)
        if var conversation = answer.conversation {
            if machine.isRequestWhole {
                let values =
                    settings.hasTemplates
                    ? EchoedMessages(
                        of: held.exchange.request,
                        insteadOf: answer.request,
                        masks: settings.masks
                    ) : nil
                if let values { conversation = conversation.repeating(values) }
                return play(conversation, answer, after: wait, settings.latency)
            }
            // A handshake has no body (RFC 6455 §4.1), least of all one that is still arriving.
            if conversation.medium == .webSocket { return answerWithoutHandshake() }
        }
        let pauses = wait.count > 0
        let action = machine.answered(pauses: pauses)
        if pauses { pause(wait) } else { perform(action) }
    }

    /// Why a request without a recording is not sent, although `on_miss` asks for that.
    private static let noServer =
        "it cannot be sent to a server, since the request names only this source: set 'upstream' "
        + "(tapline mock --upstream URL), or use this source as the proxy of the client\n"

    /// Handles a request without a recording.
    private func miss(
        _ found: RecordedAnswers.Answer,
        _ asking: RecordedAnswers.Asking,
        _ answers: WorkerAnswers
    ) {
        let miss = answers.miss(held.exchange.request, found, asking)
        held.exchange.tags["tapline.answer"] = "miss"
        if answers.reachesServers, canForward {
            response.isToRecord = answers.settings.onMiss == .record
            return forward()
        }
        held.exchange.response = .page(
            miss,
            for: held.exchange.request,
            hint: answers.reachesServers ? Self.noServer : nil
        )
        perform(machine.answered(pauses: false))
    }

    /// Whether there is a server other than this source itself.
    private var canForward: Bool { destination != nil || namesServer(held.exchange.request) }

    /// Adds the exchange to the answers, if it was sent to the server for that.
    func recordAnswer() {
        guard response.isToRecord, let answers = worker.answers,
            held.exchange.response?.body.isTruncated == false
        else { return }
        // Sinks choose by the tag what they add to a recording.
        if answers.record(held.exchange) { held.exchange.tags["tapline.answer"] = "recorded" }
    }

    private func asking(_ settings: AnswerSettings) -> RecordedAnswers.Asking {
        // A reverse proxy replaces the host, and other clients name only this source.
        let namesHost = client.target != nil || namesServer(held.exchange.request)
        let isReverse = client.target == nil && worker.settings.upstream != nil
        var asking = RecordedAnswers.Asking(comparesHost: namesHost && !isReverse)
        switch settings.session {
        case .none: break
        case .client: asking.session = client.ip.high ^ client.ip.low
        case .key(let key): asking.session = key.session(of: held.exchange)?.value ?? 0
        }
        return asking
    }
}

extension Microseconds {
    /// The longest wait of an answer.
    private static let longest = 3_600_000_000.0

    /// A duration times a factor, at most an hour.
    fileprivate init(scaling duration: Microseconds, by factor: Double) {
        let scaled = Double(duration.count) * factor
        self.init(scaled > 0 ? Int64(min(scaled, Self.longest)) : 0)
    }
}

extension Response {
    /// The page for a request without a recording.
    fileprivate static func page(
        _ miss: MissExplanation,
        for request: borrowing Request,
        hint: String?
    ) -> Response {
        var page = Response.page(404, miss.text + (hint ?? ""))
        var next = request.fields.firstIndex(of: "Accept")
        while let position = next {
            let accepted = request.fields.value(at: position)
            if accepted.contains("application/json".utf8.span, ignoringCase: true) {
                page.fields.set("Content-Type", to: "application/json")
                page.body = Body(miss.json)
            }
            next = request.fields.firstIndex(of: "Accept", from: position + 1)
        }
        page.frame(answering: request.method)
        return page
    }
}

extension ExchangeFailure {
    /// The client names a host that is neither this machine nor in the recordings.
    static let unknownHost = ExchangeFailure(
        code: "misdirected_request",
        message: "this mock answers only requests to 'localhost', to loopback addresses and to "
            + "recorded hosts",
        status: 421
    )

    /// The client asks for a tunnel that is not read, to a server that recordings replace.
    static let unansweredTunnel = ExchangeFailure(
        code: "method_not_allowed",
        message: "recordings answer in place of servers, so no tunnel is opened that is not read; "
            + "set 'intercept' for hosts whose HTTPS is to be answered, or 'on_miss: pass'",
        status: 405
    )
}

// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProcessPlugin

/// The stage `process` in one lane, with `mode: wire`: the lane waits for each answer.
///
/// If a call fails, `on_error` of the component decides about the exchange.
final class ProcessWireStage: WireStage {
    private let connection: ProcessConnection
    private let endingThreads: EndingThreads?
    private var json = JSONWriter(capacity: 16_384)

    init(_ connection: ProcessConnection, _ context: StageContext) {
        self.connection = connection
        endingThreads = context.endingThreads
    }

    func start() throws { try connection.open() }

    func stop() { connection.close(leavingTo: endingThreads) }

    func request(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict {
        let answer = try ask("request", exchange)
        guard case .changed(let request?, let response) = answer else {
            return try verdict(answer)
        }
        guard response == nil else {
            throw ProcessPluginError("wrong answer; there is no response to change yet")
        }
        exchange.request = request
        return .proceed
    }

    func response(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict {
        let answer = try ask("response", exchange)
        guard case .changed(let request, let response?) = answer else {
            return try verdict(answer)
        }
        guard request == nil else {
            throw ProcessPluginError("wrong answer; the request has been sent already")
        }
        exchange.response = response
        return .proceed
    }

    private func verdict(_ answer: ChildLine.Answer) throws -> Verdict {
        switch answer {
        case .keep: .proceed
        case .drop(let reason): .drop(reason: reason)
        case .respond(let response): .respond(response)
        case .abort: .abort
        case .changed, .record, .done, .failed:
            throw ProcessPluginError("wrong answer; expected a verdict")
        }
    }

    private func ask(
        _ hook: StaticString,
        _ exchange: borrowing Exchange
    ) throws -> ChildLine.Answer {
        let number = connection.number()
        json.removeAll()
        json.beginObject()
        json.key("n")
        json.integer(number)
        json.key("hook")
        json.string(hook)
        json.key("exchange")
        json.exchange(exchange)
        json.endObject()
        json.separator(0x0A)
        let line = Array(copying: json.bytes)
        // The whole lane would stand still until the next process has started.
        return try connection.ask(number, line, needsChild: true)
    }
}

// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Checks whether a program keeps to the protocol: `tapline plugin check`.
///
/// **Isolation**: one thread, which it blocks.
package struct ProcessPluginCheck {
    /// One thing that was checked.
    package struct Result: Sendable, Equatable {
        /// What the program has to do.
        package let name: String
        /// Why it failed; `nil` if it passed.
        package let problem: String?
    }

    fileprivate static let missingKinds =
        "its hello names none of the 'kinds' "
        + ProcessRole.allCases.map(\.rawValue).joined(separator: ", ")

    private let settings: ProcessSettings

    /// Creates a check of a program.
    package init(_ settings: ProcessSettings) { self.settings = settings }

    /// Checks the program in one role, or in all that it says it can take.
    package func run(_ role: ProcessRole?) -> [Result] {
        if let role { return run(as: role) }
        let (found, problem) = roles()
        guard !found.isEmpty else {
            return [Result(name: "says hello", problem: problem ?? Self.missingKinds)]
        }
        return found.flatMap { run(as: $0) }
    }

    /// The roles that the program names.
    private func roles() -> ([ProcessRole], String?) {
        guard
            let connection = try? ProcessConnection(.stage, id: "check", settings, log: .none)
        else { return ([], "no descriptor is left") }
        var problem: String?
        do { try connection.open() } catch { problem = "\(error)" }
        connection.close()
        let kinds = connection.hello.kinds
        return (ProcessRole.allCases.filter { kinds.contains($0.rawValue) }, problem)
    }

    private func run(as role: ProcessRole) -> [Result] {
        let run = RoleCheck(role, settings)
        return run.run()
    }
}

/// The checks of one role.
private final class RoleCheck {
    private typealias Result = ProcessPluginCheck.Result

    private let role: ProcessRole
    private let settings: ProcessSettings
    private let logged = LoggedProblems()
    private let counter = CountingReceiver()
    private var results: [ProcessPluginCheck.Result] = []

    init(_ role: ProcessRole, _ settings: ProcessSettings) {
        self.role = role
        self.settings = settings
    }

    func run() -> [ProcessPluginCheck.Result] {
        let logged = logged
        let log = Log(component: "check") { logged.note($0) }
        guard
            let connection = try? ProcessConnection(
                role,
                id: "check",
                settings,
                log: log,
                receiver: role == .source ? counter : nil
            )
        else { return [] }
        note("says hello") { try greet(connection) }
        guard results.allSatisfy({ $0.problem == nil }) else { return results }
        switch role {
        case .stage, .wire: checkAnswers(connection)
        case .sink: checkBatches(connection)
        case .source: checkRecords()
        }
        let begun = SteadyClock.microseconds
        connection.close()
        let time = SteadyClock.microseconds - begun
        note("ends at the end of its input") {
            if time >= settings.limits.times.stop {
                throw ProcessPluginError("it had to be killed after \(time / 1000) ms")
            }
        }
        note("writes nothing but the protocol") {
            if let first = logged.problems.first { throw ProcessPluginError(first) }
        }
        return results
    }

    /// Starts the program; its hello must have `kinds`, which an echo of Tapline's own hello lacks.
    private func greet(_ connection: ProcessConnection) throws {
        try connection.open()
        guard connection.hello.kinds.isEmpty else { return }
        connection.close()
        throw ProcessPluginError(ProcessPluginCheck.missingKinds)
    }

    private func note(_ name: String, _ body: () throws -> Void) {
        var problem: String?
        do { try body() } catch { problem = "\(error)" }
        results.append(Result(name: "\(role.rawValue): \(name)", problem: problem))
    }

    // MARK: Stages

    private func checkAnswers(_ connection: ProcessConnection) {
        for (name, exchange) in CheckedExchanges.all {
            note("answers \(name)") {
                for hook in role == .wire ? ["request", "response"] : ["record"] {
                    let number = connection.number()
                    let line = Self.line(number, hook, exchange)
                    try judge(try connection.ask(number, line), hook)
                }
            }
        }
        note("answers 500 calls that are sent at once") {
            let open = Atomic<Int>(500)
            let failed = Mutex<String?>(nil)
            let done = ThreadEvent()
            let exchange = CheckedExchanges.usual
            for _ in 0..<500 {
                let number = connection.number()
                let hook = role == .wire ? "request" : "record"
                try connection.call(number, Self.line(number, hook, exchange), mayWait: true) {
                    if case .failure(let error) = $0 {
                        failed.withLock { $0 = error.description }
                    }
                    let left = open.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
                    if left == 0 { done.signal() }
                }
            }
            done.wait()
            if let problem = failed.withLock({ $0 }) { throw ProcessPluginError(problem) }
        }
    }

    private func judge(_ answer: ChildLine.Answer, _ hook: String) throws {
        switch (answer, role) {
        case (.keep, _), (.drop, _), (.record, .stage): return
        case (.respond, .wire), (.abort, .wire): return
        case (.changed(let request, let response), .wire):
            if hook == "request", response == nil { return }
            if hook == "response", request == nil { return }
            throw ProcessPluginError("it changes what its hook does not see")
        default: throw ProcessPluginError("the answer is not one to this call")
        }
    }

    private static func line(_ number: UInt64, _ hook: String, _ exchange: Exchange) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("n")
        json.integer(number)
        if hook != "record" { json.member("hook", hook) }
        json.key(hook == "record" ? "record" : "exchange")
        json.exchange(exchange)
        json.endObject()
        json.separator(0x0A)
        return Array(copying: json.bytes)
    }

    // MARK: Sinks

    private func checkBatches(_ connection: ProcessConnection) {
        let exchanges = CheckedExchanges.all.map(\.exchange)
        for (name, batch) in [
            ("a batch of one record", [exchanges[0]]), ("a batch of odd records", exchanges),
            ("a batch of 512 records", Array(repeating: exchanges[0], count: 512)),
        ] {
            note("stores \(name)") {
                let number = connection.number()
                var lines = batch.flatMap { Self.line(number, "record", $0) }
                lines += Array("{\"n\":\(number),\"write\":\(batch.count)}\n".utf8)
                guard case .done = try connection.ask(number, lines) else {
                    throw ProcessPluginError("the answer is not ok")
                }
            }
        }
        guard connection.hello.capabilities.contains("flush") else { return }
        note("flushes") {
            let number = connection.number()
            let line = Array("{\"n\":\(number),\"flush\":true}\n".utf8)
            guard case .done = try connection.ask(number, line) else {
                throw ProcessPluginError("the answer is not ok")
            }
        }
    }

    // MARK: Sources

    private func checkRecords() {
        note("sends records within \(settings.limits.times.timeout / 1_000_000) s") {
            let end = SteadyClock.microseconds + settings.limits.times.timeout
            while counter.count == 0, !counter.hasEnded, SteadyClock.microseconds < end {
                counter.wait(milliseconds: 20)
            }
            if let error = counter.error { throw error }
            if counter.count == 0 { throw ProcessPluginError("it has sent none") }
        }
    }
}

/// The problems that a connection has logged.
private final class LoggedProblems: Sendable {
    private let texts = Mutex<[String]>([])

    var problems: [String] { texts.withLock { $0 } }

    func note(_ entry: LogEntry) {
        guard entry.level >= .warning else { return }
        texts.withLock { if $0.count < 100 { $0.append(entry.message) } }
    }
}

/// Counts the exchanges of a source.
private final class CountingReceiver: ProcessReceiver {
    private let state = Mutex<(count: Int, hasEnded: Bool, error: ProcessPluginError?)>(
        (0, false, nil)
    )
    private let signal = try? WakeSignal()

    var count: Int { state.withLock { $0.count } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var error: ProcessPluginError? { state.withLock { $0.error } }

    func receive(_ exchange: consuming Exchange) {
        state.withLock { $0.count += 1 }
        signal?.give()
    }

    func rejected() {}

    func pause() -> Bool { true }

    func ended(_ error: ProcessPluginError?) {
        state.withLock { state in
            state.hasEnded = true
            state.error = error
        }
        signal?.give()
    }

    func wait(milliseconds: Int) { signal?.wait(milliseconds: milliseconds) }
}

/// The exchanges that a program has to cope with.
private enum CheckedExchanges {
    static let usual = exchange(1) {
        $0.request.body = Body(Array("{\"cart\":[1,2]}".utf8))
        $0.response?.body = Body(Array("ok\n".utf8))
    }

    static var all: [(name: String, exchange: Exchange)] {
        [
            ("a usual record", usual),
            ("a record without bodies", exchange(2) { _ in }),
            (
                "a failed exchange",
                exchange(3) {
                    $0.response = nil
                    $0.state = .failed
                    $0.error = ExchangeError(code: "reset", message: "connection reset")
                }
            ),
            (
                "a body of 1 MiB",
                exchange(4) { $0.response?.body = Body(Array(repeating: 0x61, count: 1 << 20)) }
            ),
            (
                "a body of all bytes",
                exchange(5) { $0.response?.body = Body(Array(UInt8.min...UInt8.max)) }
            ),
            (
                "text beyond ASCII",
                exchange(6) {
                    $0.request.target = ByteString("/gr%C3%BC%C3%9Fe?q=\u{1F600}")
                    $0.response?.body = Body(Array("\u{1F600} \u{2028} \u{0} \"\\".utf8))
                }
            ),
            (
                "bytes in a field that are no UTF-8",
                exchange(7) {
                    let (name, value) = (Array("X-Odd".utf8), [0xFF, 0xFE] as [UInt8])
                    $0.request.fields.append(name: name.span, value: value.span)
                }
            ),
            (
                "messages of a WebSocket",
                exchange(8) {
                    $0.response?.status = 101
                    $0.messages = [
                        StreamMessage(direction: .up, bytes: Array("hello".utf8)),
                        StreamMessage(direction: .down, bytes: [0, 1, 2, 255]),
                    ]
                }
            ),
        ]
    }

    private static func exchange(
        _ number: UInt64,
        _ change: (inout Exchange) -> Void
    ) -> Exchange {
        let started = Timestamp(microseconds: 1_763_647_380_000_000)
        var exchange = Exchange(id: ExchangeID(started: started, random: number, number))
        exchange.started = started
        exchange.source = "check"
        exchange.state = .completed
        exchange.request.method = "POST"
        exchange.request.scheme = "https"
        exchange.request.authority = "shop.test"
        exchange.request.target = "/cart"
        exchange.response = Response(status: 200)
        change(&exchange)
        return exchange
    }
}

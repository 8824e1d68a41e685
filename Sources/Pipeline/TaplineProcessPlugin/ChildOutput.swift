// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// What one child writes to standard output, read by one thread at a time.
///
/// **Isolation**: any thread.
final class ChildOutput: Sendable {
    /// What a read has found.
    struct Found {
        /// The calls that are answered.
        var answers: [(call: ProcessConnection.Call, answer: WaitingCaller.Answer)] = []
        /// The answers to a source.
        var confirmations: [UInt8] = []
        /// Whether there were records.
        var hasRecords = false
        /// Whether the child has ever said that it has no more to say.
        var hasSaidEnd = false
        /// Why nothing more is read; `nil` if there may be more.
        var end: End?

        /// Gives callers their answers.
        ///
        /// - Parameter number: The number of the reader's own call.
        /// - Returns: The answer to the reader's own call.
        func deliver(exceptTo number: UInt64? = nil) -> WaitingCaller.Answer? {
            var own: WaitingCaller.Answer?
            for (call, answer) in answers {
                if call.number == number { own = answer } else { call.reply(answer) }
            }
            return own
        }
    }

    /// Why nothing more is read.
    enum End {
        /// The output has ended.
        case ended
        /// The child has to be killed, for this reason.
        case refused(String)
    }

    private struct State: ~Copyable {
        var lines: LineAssembler
        var parsing: Parsing
        /// The space for what is read next.
        var received: [UInt8] = []
    }

    /// What the lines have said.
    fileprivate struct Parsing: ~Copyable {
        var reader: ChildLineReader
        /// The answers of the lines that were read last, and the numbers of the lines.
        var answers: [(number: UInt64, answer: ChildLine.Answer, line: Int)] = []
        var confirmations: [UInt8] = []
        var hasRecords = false
        var hasSaidEnd = false
        var end: End?
    }

    let stream: BidirectionalProcess.Output
    private let connection: ProcessConnection
    private let first: FirstHello
    private let state: Mutex<State>

    /// Creates the output of a child that has just been started.
    init(
        _ stream: BidirectionalProcess.Output,
        of connection: ProcessConnection,
        _ first: FirstHello
    ) {
        self.stream = stream
        self.connection = connection
        self.first = first
        state = Mutex(
            State(
                lines: LineAssembler(maxBytes: connection.settings.maxLine),
                parsing: Parsing(reader: ChildLineReader(connection.role))
            )
        )
    }

    private var now: Int64 { SteadyClock.microseconds }

    /// Reads what there is now.
    func read() -> Found {
        state.withLock { state in
            if state.parsing.end == nil { receive(&state) }
            var found = Found()
            found.answers = settle(&state.parsing)
            swap(&found.confirmations, &state.parsing.confirmations)
            swap(&found.hasRecords, &state.parsing.hasRecords)
            found.hasSaidEnd = state.parsing.hasSaidEnd
            found.end = state.parsing.end
            return found
        }
    }

    /// Ignores what is still to be read, since the child is gone.
    func close() {
        state.withLock { if $0.parsing.end == nil { $0.parsing.end = .ended } }
    }

    private func receive(_ state: inout State) {
        var buffer = state.received
        state.received = []
        defer {
            buffer.removeAll(keepingCapacity: true)
            state.received = buffer
        }
        // An output that cannot be read has ended.
        var count = 0
        do throws(FileError) {
            guard let read = try stream.read(appendingTo: &buffer, atMost: 262_144) else { return }
            count = read
        } catch {}
        take(buffer.span, isEnd: count == 0, &state.lines, &state.parsing)
        if count == 0, state.parsing.end == nil { state.parsing.end = .ended }
    }

    private func take(
        _ bytes: Span<UInt8>,
        isEnd: Bool,
        _ lines: inout LineAssembler,
        _ parsing: inout Parsing
    ) {
        lines.append(bytes, isEnd: isEnd) { line, text in
            guard parsing.end == nil else { return }
            guard let text else {
                connection.problem(
                    line,
                    "the line is too long; expected at most "
                        + "\(connection.settings.maxLine) bytes"
                )
                return
            }
            if let reason = handle(line, text, &parsing) { parsing.end = .refused(reason) }
        }
    }

    /// Handles a line; returns why the child has to be killed.
    private func handle(
        _ line: Int,
        _ text: Span<UInt8>,
        _ parsing: inout Parsing
    ) -> String? {
        do throws(ProcessPluginError) {
            switch try parsing.reader.read(text) {
            case .hello(let hello): return greet(hello, line)
            case .answer(let number, let answer): parsing.answers.append((number, answer, line))
            case .record(let number, let exchange):
                guard connection.state.withLock({ $0.machine.isRunning }) else {
                    return "the plugin has to say hello first (output line \(line))"
                }
                parsing.hasRecords = true
                connection.receiver?.receive(exchange)
                if let number { parsing.confirm(number, #""ok":true"#) }
            case .end: parsing.hasSaidEnd = true
            }
        } catch {
            guard connection.state.withLock({ $0.machine.isRunning }) else {
                return "the plugin has to say hello first; output line \(line): \(error)"
            }
            connection.problem(line, error.description)
            let number = parsing.reader.number(in: text)
            guard connection.role != .source else {
                connection.receiver?.rejected()
                if let number { parsing.confirm(number, #""error":"not a record""#) }
                return nil
            }
            // An answer that cannot be read is the end of its call.
            if let number {
                let error = ProcessPluginError("wrong answer; \(error)")
                parsing.answers.append((number, .failed(error), line))
            }
        }
        return nil
    }

    private func greet(_ hello: ChildHello, _ line: Int) -> String? {
        connection.state.withLock { if !$0.machine.isRunning { $0.hello = hello } }
        guard hello.kinds.isEmpty || hello.kinds.contains(connection.role.rawValue) else {
            return "the plugin is not a \(connection.role.rawValue); it declares: "
                + hello.kinds.joined(separator: ", ").showingControls([:])
        }
        let isExpected = connection.state.withLock { state in
            guard state.machine.greeted(now) else { return false }
            if let reader = state.readers.opened(self) { reader.caller.read(reader.output) }
            return true
        }
        if isExpected {
            connection.settings.program.started(hello)
            logStart(hello)
            first.settle(nil)
        } else {
            connection.problem(line, "a second hello")
        }
        return nil
    }

    private func logStart(_ hello: ChildHello) {
        let words = [hello.name, hello.version].filter { !$0.isEmpty }
        guard !words.isEmpty else { return }
        let text = words.map { String($0.prefix(100)).showingControls([:]) }
        connection.log.info("the plugin is running: \(text.joined(separator: " "))")
    }

    /// Pairs the answers with their calls, and sends the calls that have room now.
    private func settle(
        _ parsing: inout Parsing
    ) -> [(call: ProcessConnection.Call, answer: WaitingCaller.Answer)] {
        let (matches, needsWake) = connection.state.withLock { state in
            let now = now
            let matches = parsing.answers.map { state.machine.answered($0.number, now) }
            ProcessConnection.fill(&state, now)
            return (matches, state.wakes(forCallDueAt: .max, isAwaited: true))
        }
        if needsWake { connection.wake.give() }
        var answers: [(call: ProcessConnection.Call, answer: WaitingCaller.Answer)] = []
        answers.reserveCapacity(matches.count)
        for (match, (number, answer, line)) in zip(matches, parsing.answers) {
            switch match {
            case .call(let call):
                if case .failed(let error) = answer {
                    answers.append((call, .failure(error)))
                } else {
                    answers.append((call, .success(answer)))
                }
            case .late:
                connection.problem(line, "call \(number) was answered before, or too late")
            case .unknown: connection.problem(line, "there is no call \(number)")
            }
        }
        parsing.answers.removeAll(keepingCapacity: true)
        return answers
    }
}

extension ChildOutput.Parsing {
    /// Answers an exchange that a source wants confirmed.
    fileprivate mutating func confirm(_ number: UInt64, _ member: String) {
        confirmations += Array("{\"n\":\(number),\(member)}\n".utf8)
    }
}

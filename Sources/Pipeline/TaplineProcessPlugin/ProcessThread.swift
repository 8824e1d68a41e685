// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// The thread of a connection: starts children, writes calls and reads answers.
///
/// **Isolation**: its thread.
final class ProcessThread {
    private let connection: ProcessConnection
    private let first: FirstHello
    private var reader: ChildLineReader
    private var replies: [() -> Void] = []
    /// The answers to a source that are written next.
    private var confirmations: [UInt8] = []
    private var hasSaidEnd = false
    private var restarts = 0
    private var problems = 0

    init(_ connection: ProcessConnection, _ first: FirstHello) {
        self.connection = connection
        self.first = first
        reader = ChildLineReader(connection.role)
    }

    private var now: Int64 { SteadyClock.microseconds }
    private var log: Log { connection.log }

    /// Runs until the connection is stopped.
    func run() {
        var failure: ProcessPluginError?
        var starts = connection.state.withLock { $0.machine.begun() }
        while starts {
            let end = runChild()
            let restart = finish(end)
            failure = end.isExpected || isOver(end) ? nil : ProcessPluginError(end.text)
            guard first.isSettled else { break }
            guard let restart, !isOver(end) else { break }
            if connection.role == .source, restarts >= connection.settings.maxRestarts { break }
            failure = nil
            restarts += 1
            log.error("\(end.text); it is started again")
            rest(until: restart)
            starts = connection.state.withLock { $0.machine.rested(now) }
        }
        giveUp(failure)
    }

    /// Whether a source has ended its input.
    private func isOver(_ end: ChildEnd) -> Bool {
        connection.role == .source && first.isSettled && (hasSaidEnd || end.isSuccess)
    }

    private func giveUp(_ failure: ProcessPluginError?) {
        let lost = connection.state.withLock { $0.machine.gaveUp() }
        let error = failure ?? ProcessPluginError("the plugin was stopped")
        for call in lost { call.reply(.failure(error)) }
        connection.wakeCallers()
        first.settle(error)
        let isStopped = connection.state.withLock { $0.mayStop }
        connection.receiver?.ended(isStopped || hasSaidEnd ? nil : failure)
    }

    // MARK: One child

    /// How a child has ended.
    private struct ChildEnd {
        var text: String
        /// Whether it exited by itself with code 0, after its hello.
        var isSuccess = false
        var isExpected = false
    }

    private func runChild() -> ChildEnd {
        let settings = connection.settings
        let name = settings.words.first ?? ""
        let child: ConversingProcess
        do throws(FileError) {
            child = try ConversingProcess(
                settings.words,
                environment: settings.environment,
                folder: settings.folder
            )
        } catch {
            return ChildEnd(text: "\(error)")
        }
        connection.state.withLock { state in
            state.machine.started(now)
            state.output = helloLine()
        }
        let reason = converse(child)
        let isExpected = connection.state.withLock { $0.mayStop } || hasSaidEnd
        let hasGreeted = connection.state.withLock { $0.machine.isRunning }
        // It has closed its output, so it is about to exit.
        if reason == nil {
            for _ in 0..<200 where !child.hasExited {
                rest(until: now + 1000, mayBeWoken: false)
            }
        }
        let code = child.kill()?.code ?? -1
        let text = reason ?? "'\(name)' has ended with code \(code)"
        return ChildEnd(
            text: text,
            isSuccess: code == 0 && reason == nil && hasGreeted,
            isExpected: isExpected && reason == nil
        )
    }

    /// What is being written to a child, and what is left open.
    private struct Streams {
        var open: [ConversingProcess.Stream] = [.output, .errors]
        var writing: [UInt8] = []
        var written = 0
        var hasEndedInput = false
        var lines: LineAssembler
        var errors: ErrorLines

        var isWritten: Bool { written == writing.count }

        init(_ settings: ProcessSettings) {
            lines = LineAssembler(maxBytes: settings.maxLine)
            errors = ErrorLines(maxBytes: settings.maxLogLine, maxLines: settings.maxLogRate)
        }

        /// Writes what is accepted now.
        mutating func write(to child: borrowing ConversingProcess) throws(FileError) {
            var position = written
            defer { written = position }
            try child.write(writing.span, from: &position)
        }
    }

    /// Talks with a child until it ends; returns why it has to be killed, or `nil`.
    private func converse(_ child: borrowing ConversingProcess) -> String? {
        var streams = Streams(connection.settings)
        while streams.open.contains(.output) {
            let (hasMore, deadline) = prepare(&streams)
            do throws(FileError) {
                try streams.write(to: child)
            } catch {
                // It reads no more; what it still says is read until its output ends.
                streams.written = streams.writing.count
                connection.state.withLock { $0.isAsleep = false }
                if !wait(child, streams.open, false, 10).output {
                    return "the plugin does not read its input any more"
                }
            }
            if streams.hasEndedInput, streams.isWritten { child.endInput() }
            let pause = deadline.map { max(0, ($0 - now + 999) / 1000) } ?? 60_000
            let ready = wait(
                child,
                streams.open,
                !streams.isWritten,
                hasMore && streams.isWritten ? 0 : Int(clamping: pause)
            )
            connection.state.withLock { $0.isAsleep = false }
            if ready.errors { readErrors(child, &streams) }
            if ready.output, let problem = readOutput(child, &streams) { return problem }
            if let reason = timePassed(child) { return reason }
        }
        readErrors(child, &streams)
        return nil
    }

    /// Takes what is to be written next.
    ///
    /// - Returns: Whether there is any, and when something is overdue.
    private func prepare(_ streams: inout Streams) -> (hasMore: Bool, deadline: Int64?) {
        let isWritten = streams.isWritten
        let (output, deadline, isStopping) = connection.state.withLock { state in
            let deadline = state.machine.deadline()
            guard isWritten, !state.output.isEmpty else {
                state.isAsleep = isWritten
                return (nil as [UInt8]?, deadline, state.mayStop)
            }
            let output = state.output
            state.output = []
            return (output, deadline, state.mayStop)
        }
        if let output {
            streams.writing = output
            streams.written = 0
        } else if isWritten, isStopping, !streams.hasEndedInput {
            streams.hasEndedInput = true
            streams.writing = Array("{\"tapline\":\"end\"}\n".utf8)
            streams.written = 0
        }
        return (output != nil, deadline)
    }

    /// Logs what a child has written to standard error.
    private func readErrors(_ child: borrowing ConversingProcess, _ streams: inout Streams) {
        guard streams.open.contains(.errors) else { return }
        var buffer: [UInt8] = []
        let read = try? child.read(.errors, appendingTo: &buffer, atMost: 65_536)
        let isEnd = read == 0 || !streams.open.contains(.output)
        if isEnd { streams.open.removeAll { $0 == .errors } }
        for text in streams.errors.append(buffer.span, isEnd: isEnd, now: now) {
            log.info("stderr: \(text)")
        }
    }

    /// Handles what a child has written; returns why it has to be killed, or `nil`.
    private func readOutput(
        _ child: borrowing ConversingProcess,
        _ streams: inout Streams
    ) -> String? {
        var buffer: [UInt8] = []
        let count = (try? child.read(.output, appendingTo: &buffer, atMost: 262_144)) ?? 0
        if count == 0 { streams.open.removeAll { $0 == .output } }
        return take(buffer.span, isEnd: count == 0, &streams.lines)
    }

    private func wait(
        _ child: borrowing ConversingProcess,
        _ open: [ConversingProcess.Stream],
        _ writing: Bool,
        _ milliseconds: Int
    ) -> ConversingProcess.Readiness {
        child.wait(
            writing: writing,
            reading: open,
            or: connection.wake,
            milliseconds: milliseconds
        )
    }

    /// Fails what is overdue; returns why the child has to be killed.
    private func timePassed(_ child: borrowing ConversingProcess) -> String? {
        let overdue = connection.state.withLock { state in
            let overdue = state.machine.timePassed(now)
            if !overdue.calls.isEmpty { ProcessConnection.fill(&state, now) }
            return overdue
        }
        for call in overdue.calls {
            let text = "the plugin has not answered in time"
            call.reply(.failure(ProcessPluginError(text, isUnanswered: true)))
        }
        if !overdue.calls.isEmpty { connection.wakeCallers() }
        switch overdue.reason {
        case .noHello: return "the plugin has not said hello in time"
        case .hangs: return "the plugin has stopped answering and is killed"
        case .doesNotEnd:
            log.warning("the plugin has not ended in time; it is killed")
            return "the plugin has not ended in time"
        case nil: return nil
        }
    }

    /// Fails the calls that a child has left; returns when the next one starts.
    private func finish(_ end: ChildEnd) -> Int64? {
        let ending = connection.state.withLock { state in
            state.output = []
            return state.machine.ended(now)
        }
        let error = ProcessPluginError(end.text, isUnanswered: true)
        for call in ending.lost { call.reply(.failure(error)) }
        connection.wakeCallers()
        return ending.restart
    }

    /// Waits until a time; calls that wait for a child too long fail.
    private func rest(until time: Int64, mayBeWoken: Bool = true) {
        while now < time {
            if mayBeWoken, connection.state.withLock({ $0.mayStop }) { return }
            connection.wake.wait(milliseconds: Int(clamping: min((time - now) / 1000 + 1, 20)))
            guard mayBeWoken else { continue }
            let calls = connection.state.withLock { $0.machine.timePassed(now).calls }
            for call in calls {
                let text = "the plugin is not running; it will be restarted"
                call.reply(.failure(ProcessPluginError(text, isUnanswered: true)))
            }
            if !calls.isEmpty { connection.wakeCallers() }
        }
    }

    private func helloLine() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("tapline", "hello")
            json.member("protocol", 1)
            json.member("version", ProgramVersion.text)
            json.member("kind", connection.role.rawValue)
            json.member("id", connection.id)
            json.member("schema", 1)
            json.key("capabilities")
            json.array { json in
                for word in ["flush", "reopen"] where connection.role == .sink { json.string(word) }
            }
        }
        return Array(copying: json.bytes) + [0x0A]
    }
}

// MARK: - What a child says

extension ProcessThread {
    /// Handles the lines in what a child has written; returns why it has to be killed.
    private func take(
        _ bytes: Span<UInt8>,
        isEnd: Bool,
        _ lines: inout LineAssembler
    ) -> String? {
        var fatal: String?
        lines.append(bytes, isEnd: isEnd) { line, text in
            guard fatal == nil else { return }
            guard let text else {
                problem(
                    line,
                    "the line is too long; expected at most "
                        + "\(connection.settings.maxLine) bytes"
                )
                return
            }
            fatal = handle(line, text)
        }
        connection.state.withLock { ProcessConnection.fill(&$0, now) }
        connection.wakeCallers()
        for reply in replies { reply() }
        replies.removeAll(keepingCapacity: true)
        if connection.receiver?.pause() == false { connection.stop() }
        writeConfirmations()
        // It may wait for the end of its input before it exits.
        if hasSaidEnd, connection.role == .source { connection.stop() }
        return fatal
    }

    private func handle(_ line: Int, _ text: Span<UInt8>) -> String? {
        do throws(ProcessPluginError) {
            switch try reader.read(text) {
            case .hello(let hello): return greet(hello, line)
            case .answer(let number, let answer): settle(number, answer, line)
            case .record(let number, let exchange):
                guard connection.state.withLock({ $0.machine.isRunning }) else {
                    return "the plugin has to say hello first (output line \(line))"
                }
                restarts = 0
                connection.receiver?.receive(exchange)
                if let number { confirm(number, #""ok":true"#) }
            case .end: hasSaidEnd = true
            }
        } catch {
            guard connection.state.withLock({ $0.machine.isRunning }) else {
                return "the plugin has to say hello first; output line \(line): \(error)"
            }
            problem(line, error.description)
            let number = reader.number(in: text)
            guard connection.role != .source else {
                connection.receiver?.rejected()
                if let number { confirm(number, #""error":"not a record""#) }
                return nil
            }
            // An answer that cannot be read is the end of its call.
            if let number {
                settle(number, .failed(ProcessPluginError("wrong answer; \(error)")), line)
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
        let isExpected = connection.state.withLock { $0.machine.greeted(now) }
        if isExpected {
            logStart(hello)
            first.settle(nil)
        } else {
            problem(line, "a second hello")
        }
        return nil
    }

    private func logStart(_ hello: ChildHello) {
        let words = [hello.name, hello.version].filter { !$0.isEmpty }
        guard !words.isEmpty else { return }
        let text = words.map { String($0.prefix(100)).showingControls([:]) }
        log.info("the plugin is running: \(text.joined(separator: " "))")
    }

    private func settle(_ number: UInt64, _ answer: ChildLine.Answer, _ line: Int) {
        let match = connection.state.withLock { $0.machine.answered(number, now) }
        switch match {
        case .call(let call):
            restarts = 0
            if case .failed(let error) = answer {
                replies.append { call.reply(.failure(error)) }
            } else {
                replies.append { call.reply(.success(answer)) }
            }
        case .late: problem(line, "call \(number) was answered before, or too late")
        case .unknown: problem(line, "there is no call \(number)")
        }
    }

    /// Logs a problem with a line; after the first few, only each power of two.
    private func problem(_ line: Int, _ message: String) {
        problems += 1
        guard problems <= 10 || problems.nonzeroBitCount == 1 else { return }
        let count = problems > 10 ? " (\(problems) problems so far)" : ""
        log.error("output line \(line) of the plugin: \(message)\(count)")
    }

    /// Answers an exchange that a source wants confirmed.
    private func confirm(_ number: UInt64, _ member: String) {
        confirmations += Array("{\"n\":\(number),\(member)}\n".utf8)
    }

    private func writeConfirmations() {
        guard !confirmations.isEmpty else { return }
        let text = confirmations
        confirmations.removeAll(keepingCapacity: true)
        connection.state.withLock { $0.output += text }
    }
}

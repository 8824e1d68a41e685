// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin

// What a child says.
extension ProcessThread {
    /// Handles the lines in what a child has written; returns why it has to be killed.
    func take(
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
        settle()
        connection.wakeCallers()
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
            case .answer(let number, let answer): answers.append((number, answer, line))
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
                let error = ProcessPluginError("wrong answer; \(error)")
                answers.append((number, .failed(error), line))
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

    /// Gives the answers to the calls, and sends the calls that have room now.
    private func settle() {
        let matches = connection.state.withLock { state in
            let now = now
            let matches = answers.map { state.machine.answered($0.number, now) }
            ProcessConnection.fill(&state, now)
            return matches
        }
        for (match, (number, answer, line)) in zip(matches, answers) {
            switch match {
            case .call(let call):
                restarts = 0
                if case .failed(let error) = answer {
                    call.reply(.failure(error))
                } else {
                    call.reply(.success(answer))
                }
            case .late: problem(line, "call \(number) was answered before, or too late")
            case .unknown: problem(line, "there is no call \(number)")
            }
        }
        answers.removeAll(keepingCapacity: true)
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

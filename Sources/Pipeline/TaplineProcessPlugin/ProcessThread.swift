// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// The thread of a connection: starts and ends children, writes calls and reads answers, both as far
/// as callers do not do it themselves.
///
/// **Isolation**: its thread.
final class ProcessThread {
    let connection: ProcessConnection
    let first: FirstHello
    var hasSaidEnd = false
    var restarts = 0

    init(_ connection: ProcessConnection, _ first: FirstHello) {
        self.connection = connection
        self.first = first
    }

    var now: Int64 { SteadyClock.microseconds }
    var log: Log { connection.log }

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
        let child: BidirectionalProcess
        do throws(FileError) {
            child = try BidirectionalProcess(
                settings.words,
                environment: settings.environment,
                folder: settings.folder
            )
        } catch {
            return ChildEnd(text: "\(error)")
        }
        let input = child.sharedInput
        connection.state.withLock { state in
            state.machine.started(now)
            state.output = helloLine()
            state.input = input
        }
        let output = ChildOutput(child.output, of: connection, first)
        let reason = converse(child, output)
        output.close()
        connection.state.withLock { $0.input = nil }
        readAlone(output)
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
        var hasOutput = true
        var hasErrors = true
        var writing: [UInt8] = []
        var written = 0
        var hasEndedInput = false
        /// Since when a source is not read, because it does not read its confirmations.
        var pausedSince: Int64?
        var hasWarned = false
        var errors: ErrorLines

        var isWritten: Bool { written == writing.count }

        init(_ settings: ProcessSettings) {
            errors = ErrorLines(maxBytes: settings.maxLogLine, maxLines: settings.maxLogRate)
        }

        /// Writes what is accepted now.
        mutating func write(to child: borrowing BidirectionalProcess) throws(FileError) {
            var position = written
            defer { written = position }
            try child.write(writing.span, from: &position)
        }
    }

    /// Talks with a child until it ends; returns why it has to be killed, or `nil`.
    private func converse(
        _ child: borrowing BidirectionalProcess,
        _ output: ChildOutput
    ) -> String? {
        var streams = Streams(connection.settings)
        while streams.hasOutput {
            takeOutput(&streams)
            do throws(FileError) {
                try streams.write(to: child)
            } catch {
                // It reads no more; what it still says is read until its output ends.
                streams.written = streams.writing.count
                readAlone(output)
                connection.state.withLock { $0.isAsleep = false }
                if !wait(child, streams, .data, writing: false, 10).output {
                    return "the plugin does not read its input any more"
                }
            }
            if streams.hasEndedInput, streams.isWritten { child.endInput() }
            let isPaused = pausesSource(&streams)
            let (time, readsOutput) = nextSleep(streams)
            let ready = wait(
                child,
                streams,
                isPaused ? .none : readsOutput ? .data : .end,
                writing: !streams.isWritten,
                isPaused ? min(time, 1000) : time
            )
            connection.state.withLock { $0.isAsleep = false }
            if ready.errors { readErrors(child, &streams) }
            // What callers read may have ended, or is of no use.
            if ready.output || !readsOutput, let problem = readOutput(output, &streams) {
                return problem
            }
            if let reason = timePassed(child) { return reason }
        }
        readErrors(child, &streams)
        return nil
    }

    /// Lets callers wait for their answers instead of reading them, until the next child.
    private func readAlone(_ output: ChildOutput) {
        connection.state.withLock { state in
            guard let reader = state.readers.closed() else { return }
            reader.caller.stopReading(output)
            output.stream.endWait()
        }
    }

    /// Takes what is to be written next, once everything before is written.
    private func takeOutput(_ streams: inout Streams) {
        guard streams.isWritten else { return }
        var next = streams.writing
        streams.writing = []
        next.removeAll(keepingCapacity: next.capacity <= 1 << 20)
        let isStopping = connection.state.withLock { state in
            swap(&state.output, &next)
            return state.mayStop
        }
        if next.isEmpty, isStopping, !streams.hasEndedInput {
            streams.hasEndedInput = true
            next = Array("{\"tapline\":\"end\"}\n".utf8)
        }
        streams.writing = next
        streams.written = 0
    }

    /// How long to wait for the child, in milliseconds, and whether to read what it writes.
    ///
    /// Calls that are due later than that need not wake the thread, unless it has to write them.
    private func nextSleep(_ streams: Streams) -> (time: Int, readsOutput: Bool) {
        let isWritten = streams.isWritten
        let longest = connection.settings.longestSleep
        return connection.state.withLock { state in
            // The end of the input is written, too.
            let hasMore = !state.output.isEmpty || state.mayStop && !streams.hasEndedInput
            let readsOutput = state.readers.needThread || state.mayStop
            guard !isWritten || !hasMore else { return (0, readsOutput) }
            let now = now
            let deadline = min(state.machine.deadline() ?? .max, now + longest)
            let time = max(0, (deadline - now + 999) / 1000)
            state.isAsleep = isWritten
            state.wakesAt = now + time * 1000
            return (Int(clamping: time), readsOutput)
        }
    }

    /// Returns whether a source is not read, until it has read what it wants confirmed.
    private func pausesSource(_ streams: inout Streams) -> Bool {
        guard connection.role == .source else { return false }
        let (queued, isStopping) = connection.state.withLock { ($0.output.count, $0.mayStop) }
        let unread = streams.writing.count - streams.written + queued
        guard unread > connection.settings.maxConfirmations, !isStopping else {
            streams.pausedSince = nil
            return false
        }
        let since = streams.pausedSince ?? now
        streams.pausedSince = since
        if !streams.hasWarned, now - since >= connection.settings.limits.times.timeout {
            streams.hasWarned = true
            log.warning("the plugin waits to be read, but does not read its confirmations")
        }
        return true
    }

    /// Logs what a child has written to standard error.
    private func readErrors(_ child: borrowing BidirectionalProcess, _ streams: inout Streams) {
        guard streams.hasErrors else { return }
        var buffer: [UInt8] = []
        let read = try? child.read(.errors, appendingTo: &buffer, atMost: 65_536)
        let isEnd = read == 0 || !streams.hasOutput
        if isEnd { streams.hasErrors = false }
        for text in streams.errors.append(buffer.span, isEnd: isEnd, now: now) {
            log.info("stderr: \(text)")
        }
    }

    /// Handles what a child has written; returns why it has to be killed, or `nil`.
    private func readOutput(_ output: ChildOutput, _ streams: inout Streams) -> String? {
        let found = output.read()
        _ = found.deliver()
        connection.wakeCallers()
        if found.hasRecords { restarts = 0 }
        if found.hasSaidEnd { hasSaidEnd = true }
        if connection.receiver?.pause() == false { connection.stop() }
        if !found.confirmations.isEmpty {
            connection.state.withLock { $0.output += found.confirmations }
        }
        // It may wait for the end of its input before it exits.
        if hasSaidEnd, connection.role == .source { connection.stop() }
        switch found.end {
        case .ended:
            streams.hasOutput = false
            return nil
        case .refused(let reason): return reason
        case nil: return nil
        }
    }

    private func wait(
        _ child: borrowing BidirectionalProcess,
        _ streams: borrowing Streams,
        _ interest: BidirectionalProcess.OutputInterest,
        writing: Bool,
        _ milliseconds: Int
    ) -> BidirectionalProcess.Readiness {
        child.wait(
            writing: writing,
            output: interest,
            readingErrors: streams.hasErrors,
            or: connection.wake,
            milliseconds: milliseconds
        )
    }

    /// Fails what is overdue; returns why the child has to be killed.
    private func timePassed(_ child: borrowing BidirectionalProcess) -> String? {
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

// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineCertificates
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineControl
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// `tapline exec [--config FILE] -- COMMAND...`.
///
/// ```
/// pipeline listens ──▶ command runs through it ──▶ pipeline drains ──▶ exit code of the command
/// ```
enum ExecCommand {
    /// The pipeline without a file: exchanges are redacted and shown, and not stored.
    static let pipeline = """
        version: 1
        sources: [{ proxy: { intercept: true } }]
        stages: [{ redact: { preset: standard, detectors: standard } }]
        sinks: [{ stdout: { stream: stderr } }]
        """

    static func run(_ invocation: Invocation) async -> ExitCode {
        guard invocation.registry.sources.contains(where: { $0.description.name == "proxy" }) else {
            invocation.console.note(
                "tapline: error: 'exec' needs the product 'TaplineProxy', which is not linked"
            )
            return .configuration
        }
        let inspection: PipelineInspection?
        let inside: ExecNamespace?
        do throws(UsageError) {
            inspection = try PipelineInspection(invocation)
            inside = try ExecNamespace(invocation)
        } catch {
            return invocation.report(error)
        }
        let input = invocation.value("config").map { PipelineLoader.Input.file($0) }
        var loader = PipelineLoader(
            invocation: invocation,
            input: input ?? .text(Self.pipeline, name: "exec"),
            purpose: inside == nil ? .run : .namespace,
            adjusting: { Self.adjust($0, $1, invocation, &$2) }
        )
        guard let topology = loader.load() else { return .configuration }
        let writer = LogWriter(
            format: .text,
            isQuiet: true,
            console: invocation.console,
            hidden: loader.values
        )
        return await run(
            invocation.operands,
            through: topology,
            inspection,
            writer,
            invocation,
            inside
        )
    }

    /// Runs a command through a pipeline, which is shown if that is asked for.
    static func run(
        _ words: [String],
        through plain: Topology,
        _ inspection: PipelineInspection?,
        _ writer: LogWriter,
        _ invocation: Invocation,
        _ inside: ExecNamespace? = nil
    ) async -> ExitCode {
        let path = invocation.environment["PATH"]
        let name = words.first ?? ""
        guard let program = ChildProcess.find(name, in: path) else {
            let isThere = ChildProcess.isAnywhere(name, in: path)
            let problem = isThere ? "'\(name)' is not executable" : "there is no program '\(name)'"
            invocation.console.note("tapline: error: \(problem)")
            return isThere ? .notExecutable : .notFound
        }
        let words = [program] + words.dropFirst()
        guard open(inside, for: program, invocation.console) else { return .failure }
        var topology = plain
        let prepared = PreparedInspection(inspection, in: &topology, writer, invocation)
        defer { prepared?.removeTemporaryDatabase() }
        let (points, continuation) = AsyncStream.makeStream(of: (String, ListeningPoint).self)
        let pipeline = Pipeline(
            topology,
            log: writer.log,
            seed: .random(in: 0 ... .max),
            listening: { id, point in continuation.yield((id, point)) },
            sockets: inside?.sockets ?? ListeningSockets(),
            now: { Timestamp(microseconds: WallClock.microseconds) }
        )
        let control: ControlServer?
        do {
            control = try PipelineServer.start(topology, pipeline, writer, invocation)
        } catch {
            invocation.console.note("tapline: error: \(error)")
            return .failure
        }
        defer { control?.stop() }
        let inspector = PipelineInspector(prepared, pipeline, writer, invocation)
        defer { inspector?.stop() }
        let work = Task {
            let report = await pipeline.run()
            continuation.finish()
            return report
        }
        return await run(
            words,
            through: pipeline,
            listeningAt: points,
            work,
            isShown: inspector != nil,
            writer,
            invocation,
            inside
        )
    }

    /// Makes the namespace of a program if it has one, and notes what does not work in it.
    ///
    /// Returns whether the program may start.
    private static func open(
        _ inside: ExecNamespace?,
        for program: String,
        _ console: Console
    ) -> Bool {
        guard let inside else { return true }
        if let problem = inside.open() {
            console.note("tapline: error: \(problem)")
            console.note(ExecNamespace.help)
            return false
        }
        if let note = UserSwitching.note(on: program) { console.note(note) }
        return true
    }

    /// Makes the proxy of a file listen on a free port, and serve only this user unless the file or
    /// the command line sets `allow_users`.
    private static func adjust(
        _ builder: TopologyBuilder,
        _ root: ConfigNode,
        _ invocation: Invocation,
        _ diagnostics: inout Diagnostics
    ) -> [OptionAssignment] {
        let ids = builder.sources(of: "proxy", in: root)
        guard ids.count == 1 else {
            diagnostics.error(
                at: root["sources"]?.location ?? root.location,
                "'exec' needs exactly one source 'proxy'; found \(ids.count)"
            )
            return []
        }
        if let listening = ExecNamespace.listening(invocation) {
            var texts = ["\(ids[0]).listen=\(listening)"]
            // Servers should see what they see without Tapline.
            if !builder.isSet("via", ofSource: ids[0], in: root) {
                texts.append("\(ids[0]).via=false")
            }
            return texts.compactMap { OptionAssignment($0, into: &diagnostics) }
        }
        var texts = ["\(ids[0]).listen=127.0.0.1:0"]
        let users = "\(ids[0]).allow_users="
        let isGiven =
            builder.isSet("allow_users", ofSource: ids[0], in: root)
            || invocation.values("set").contains { $0.hasPrefix(users) }
        if !isGiven { texts.append(users + "same") }
        return texts.compactMap { OptionAssignment($0, into: &diagnostics) }
    }

    /// Runs a command while a pipeline runs, and then stops the pipeline.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - pipeline: The pipeline.
    ///   - points: Where its sources listen.
    ///   - work: The run of the pipeline.
    ///   - isShown: Whether a page shows the pipeline.
    ///   - writer: Writes the log.
    ///   - invocation: The command line of `exec`.
    ///   - inside: The namespace that the command runs in; `nil` for none.
    /// - Returns: The exit code of the command.
    private static func run(
        _ words: [String],
        through pipeline: Pipeline,
        listeningAt points: AsyncStream<(String, ListeningPoint)>,
        _ work: Task<RunReport, Never>,
        isShown: Bool,
        _ writer: LogWriter,
        _ invocation: Invocation,
        _ inside: ExecNamespace?
    ) async -> ExitCode {
        var listening = points.makeAsyncIterator()
        guard let (id, point) = await listening.next(),
            inside != nil || !point.addresses.isEmpty
        else {
            // The log has the reason why it does not listen.
            _ = await work.value
            return .failure
        }
        var code = ExitCode.failure
        var hasRun = false
        do {
            let variables = try Self.variables(point, invocation)
            code = try await child(words, variables, inside)
            hasRun = true
        } catch {
            invocation.console.note("tapline: error: \(error)")
            // The system refuses to execute the program that was found.
            if error is FileError { code = .notExecutable }
        }
        if isShown, hasRun, invocation.console.isTerminal {
            writer.say("inspector", "the command has ended; the page stays until control-C")
            await Interrupts().wait()
        }
        pipeline.stop()
        let report = await work.value
        if hasRun {
            // Without a file, the terminal shows all exchanges.
            let outcome = invocation.value("config").map { _ in Self.outcome(of: report) }
            let text = Self.note(on: report, from: id, invocation) ?? outcome
            if let text { invocation.console.note(text) }
            if let inside {
                Self.figures(of: report).forEach { invocation.console.note($0) }
                inside.notes.forEach { invocation.console.note($0) }
            }
        }
        return code
    }

    /// The number of exchanges, and of those that each sink has.
    static func outcome(of report: RunReport) -> String {
        let sinks = report.sinks.map { "\($0.counters.written) in '\($0.id)'" }
        return "tapline: \(Counted.text(report.exchanges, "exchange")); "
            + sinks.joined(separator: ", ")
    }

    /// A note for each of the sources' own counts that is not zero.
    static func figures(of report: RunReport) -> [String] {
        report.sources.flatMap(\.metrics).filter { $0.count > 0 }
            .map { "note: \($0.name) of \($0.subject): \($0.count)" }
    }

    /// Why the proxy may have received nothing; `nil` if it received something or the run failed.
    private static func note(
        on report: RunReport,
        from id: String,
        _ invocation: Invocation
    ) -> String? {
        guard report.failures.isEmpty, let source = report.sources.first(where: { $0.id == id }),
            source.counters.received == 0
        else { return nil }
        let refused = source.counters.rejected
        if invocation.has("all"), refused == 0 {
            return "note: the command made no connection to a server"
        }
        guard refused == 0 else {
            return "note: no exchange came through the proxy, which refused "
                + Counted.text(refused, "connection")
        }
        return
            "note: no exchange came through the proxy: the command made no HTTP request, ignores "
            + "the proxy variables, or bypasses the proxy for this host, as Go does for localhost"
    }

    /// The environment of a command that uses the proxy, if it listens on an address, and trusts its
    /// authority.
    private static func variables(
        _ point: ListeningPoint,
        _ invocation: Invocation
    ) throws(CertificateError) -> [String: String] {
        var variables = invocation.environment.variables
        if let address = point.addresses.first {
            ExecVariables.set(proxy: address, userInfo: point.userInfo, in: &variables)
        }
        let tools = invocation.registry.sources.compactMap(\.certificates).first
        guard let authority = point.authorityFolder, let tools else { return variables }
        let place = AuthorityLocation(folder: authority, environment: invocation.environment)
        let kept = try tools.open(place, false)
        ExecVariables.set(
            root: kept.root.path,
            bundle: try kept.writeBundle().path,
            java: try kept.writeJavaStore().options,
            in: &variables
        )
        return variables
    }

    /// Runs a program until it exits.
    ///
    /// The terminal sends keyboard interrupts to the program itself; signals that would end this
    /// process are passed on to it.
    private static func child(
        _ words: [String],
        _ variables: [String: String],
        _ inside: ExecNamespace?
    ) async throws -> ExitCode {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                let result = Result {
                    if let inside { return try inside.run(words, variables) }
                    let target = SignalTarget()
                    let signals = Signals(passingTo: target)
                    defer { withExtendedLifetime(signals) {} }
                    let child = try ChildProcess(words, environment: variables)
                    target.started(process: child.id)
                    return ExitCode(rawValue: try child.wait().code)
                }
                continuation.resume(with: result)
            }
        }
    }
}

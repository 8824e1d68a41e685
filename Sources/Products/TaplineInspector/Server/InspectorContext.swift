// SPDX-License-Identifier: MIT

internal import Dispatch
internal import RulesStage
internal import Synchronization
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineProtobuf
internal import TaplineServe
internal import TaplineSystem

/// What the endpoints share.
///
/// **Isolation**: any thread.
final class InspectorContext: Sendable {
    /// The threads that an endpoint runs on.
    enum Pool: Sendable {
        /// For what takes milliseconds.
        case quick
        /// For what may read a whole store.
        case long
    }

    /// How long an answer waits for a list that is being built.
    static let patience = Duration.milliseconds(250)

    let names: [String]
    let sessions = Sessions()
    /// Takes the password of the server; `nil` if browsers log in by the token.
    let passwordLogin: PasswordLogin?
    let rules: AccessRules
    /// The pipeline that the inspector runs beside; `nil` if there is none.
    let control: (any PipelineControl)?
    let resends = ResentExchanges()
    /// What the page has started; `nil` if it may start nothing.
    let runs: StartedRuns?
    /// The pages that may show the ball; `nil` if none may.
    let ball: BallAccess?
    let ruleBook: RuleBook
    /// The types of protobuf messages; `nil` if they are unknown.
    let schema: ProtobufSchema?
    let protectedFiles: ProtectedFiles
    let stores: CurrentStores
    let hub = EventHub()
    let answers = AnswerCache()
    let rows = RowCache()
    let views: ViewCache
    /// Lets exchanges wait for a decision; `nil` if it does not.
    private let attendance = Mutex<PauseAttendance?>(nil)
    private let quick: Workers
    private let long: Workers
    private let queries: Workers

    init(
        _ names: [String],
        _ rules: AccessRules,
        _ control: (any PipelineControl)?,
        countsEachCopy: Bool = false,
        actions: (any InspectorActions)? = nil,
        passwordLogin: PasswordLogin? = nil,
        ballOrigins: [String] = [],
        ballShowsAll: Bool = false,
        ruleFiles: [(id: String, path: String)] = [],
        schema: ProtobufSchema? = nil
    ) throws {
        self.schema = schema
        ball =
            ballOrigins.isEmpty
            ? nil : BallAccess(origins: ballOrigins, showsAll: ballShowsAll)
        self.names = names
        let stores = CurrentStores(countsEachCopy: countsEachCopy)
        self.stores = stores
        self.passwordLogin = passwordLogin
        self.control = control
        runs = actions.map { StartedRuns($0) }
        ruleBook = RuleBook((control?.ruleFiles ?? []) + ruleFiles)
        protectedFiles = ProtectedFiles(
            ProtectedFiles.ofUser(ProcessEnvironment.variables) + (control?.protectedPaths ?? [])
        )
        self.rules = rules
        let hub = hub
        quick = try Workers(4, stores)
        long = try Workers(2, stores)
        queries = try Workers(2, limit: 32, stores)
        views = ViewCache(queries) { hub.noteChange(of: $0) }
    }

    func workers(_ pool: Pool) -> Workers { pool == .quick ? quick : long }

    /// Waits until the stores were looked at once.
    func waitForLook() {
        let end = SteadyClock.microseconds + 250_000
        while stores.status == nil, SteadyClock.microseconds < end {
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(2))
        }
    }

    /// Notes changes of rule files, ends what nobody waits for, and reports wrong passwords; called
    /// now and then.
    func tick() {
        passwordLogin?.report()
        ruleBook.look(hub)
        views.endForgotten(isCrowded: queries.waiting > 0)
    }

    /// Shows what waits for a decision, and lets it wait.
    func attend() {
        guard let paused = control?.paused else { return }
        let new = paused.attend { [weak hub = self.hub, weak paused] in
            if let paused { hub?.notify("paused", PausedEndpoints.event(paused)) }
        }
        attendance.withLock { $0 = new }
    }

    func stop() {
        runs?.stopAll()
        attendance.withLock { $0.take() }?.leave()
        views.cancelAll()
        hub.stop()
        queries.stop()
        long.stop()
        quick.stop()
    }
}

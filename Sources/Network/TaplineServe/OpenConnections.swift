// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet

/// The connections of a server: carries out what `ConnectionLimitStateMachine` decides.
///
/// **Isolation**: the loop's thread.
final class OpenConnections {
    /// Accepts the connections.
    weak var listener: Listener?
    private let loop: EventLoop
    private var machine: ConnectionLimitStateMachine
    private var connections: [ConnectionLimitStateMachine.ID: ServedConnection] = [:]
    private var lastID: ConnectionLimitStateMachine.ID = 0
    private var timer: LoopTimer?

    init(on loop: EventLoop, _ options: ServeOptions) {
        self.loop = loop
        machine = ConnectionLimitStateMachine(
            limit: options.maxConnections,
            ofClient: options.maxConnectionsOfClient,
            grace: options.graceTime
        )
    }

    /// Adds a connection, and starts it unless its client has too many.
    func add(_ connection: ServedConnection, by client: IPAddress?) {
        lastID += 1
        let action = machine.opened(lastID, by: client, now: loop.now)
        if case .refuse = action { return connection.refuse() }
        connections[lastID] = connection
        connection.start(as: lastID)
        perform(action)
    }

    /// Notes that a connection waits for its client.
    func waits(_ id: ConnectionLimitStateMachine.ID) { perform(machine.waits(id, now: loop.now)) }

    /// Notes that a request is being answered.
    func answers(_ id: ConnectionLimitStateMachine.ID) { machine.answers(id) }

    /// Forgets a connection, which has closed.
    func closed(_ id: ConnectionLimitStateMachine.ID) {
        connections[id] = nil
        perform(machine.closed(id, now: loop.now))
        if connections.isEmpty { timer = nil }
    }

    private func perform(_ action: ConnectionLimitStateMachine.Action) {
        switch action {
        case .none, .refuse: break
        case .close(let id):
            connections[id]?.makeRoom()
            listener?.resume()
        case .pause(let time):
            listener?.pause()
            guard let time else { return }
            let timer = timer ?? LoopTimer(on: loop) { [weak self] in self?.timeIsUp() }
            self.timer = timer
            timer.arm(after: time)
        case .resume: listener?.resume()
        }
    }

    private func timeIsUp() { perform(machine.timeIsUp(now: loop.now)) }
}

// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineProcessPlugin
internal import TaplineSystem

/// A configured source `process`: it runs until the program has ended its input.
struct ProcessSource: Source, ConfiguredByFiles, ProgramComponent {
    let settings: ProcessSettings

    var configurationFiles: [String] { settings.files }
    var program: ComponentProgram? { settings.program.current }

    func run(_ intake: any Intake) async throws {
        let receiver = ExchangeReceiver(intake)
        let connection = try ProcessConnection(
            .source,
            id: intake.id,
            settings,
            log: intake.log,
            receiver: receiver
        )
        // Opening and closing wait for the child, so they have a thread of their own.
        let opened = OneShotEvent()
        let problem = Mutex<(any Error)?>(nil)
        let starter = try DedicatedThread.start {
            do { try connection.open() } catch { problem.withLock { $0 = error } }
            opened.signal()
        }
        await withTaskCancellationHandler {
            await opened.waitIgnoringCancellation()
        } onCancel: {
            receiver.stop()
            connection.stop()
        }
        starter.join()
        if let error = problem.withLock({ $0 }) { throw error }
        await withTaskCancellationHandler {
            await receiver.done.waitIgnoringCancellation()
        } onCancel: {
            receiver.stop()
            connection.stop()
        }
        connection.close()
        if let error = receiver.error { throw error }
    }
}

extension OneShotEvent {
    /// Waits until the event has occurred, even if the task is cancelled.
    fileprivate func waitIgnoringCancellation() async {
        await Task.detached { await self.wait() }.value
    }
}

/// Passes the exchanges of a program through a lane.
///
/// **Isolation**: that of `ProcessReceiver`, besides `stop`.
private final class ExchangeReceiver: ProcessReceiver {
    private struct State {
        /// The lane of the connection's thread; `nil` before the first exchange.
        var lane: (any Lane)?
        var error: (any Error)?
        var room: ThreadEvent?
        var isStopped = false
    }

    /// A state that only one thread changes, except for `isStopped` and `room`.
    private struct Box: @unchecked Sendable { var state = State() }

    let done = OneShotEvent()
    private let intake: any Intake
    private let box = Mutex(Box())

    init(_ intake: any Intake) { self.intake = intake }

    var error: (any Error)? { box.withLock { $0.state.error } }

    func receive(_ exchange: consuming Exchange) {
        guard let lane = lane() else { return }
        let recorded = exchange.source
        if !recorded.isEmpty, recorded != intake.id { exchange.tags["recorded_source"] = recorded }
        exchange.source = intake.id
        if exchange.started.microseconds == 0 {
            exchange.started = Timestamp(microseconds: WallClock.microseconds)
        }
        if exchange.id.isNil {
            exchange.id = ExchangeID(
                started: exchange.started,
                random: .random(in: 0 ... .max),
                .random(in: 0 ... .max)
            )
        }
        _ = lane.pass(exchange)
    }

    func rejected() { intake.rejected(1) }

    func pause() -> Bool {
        let (present, hasFailed) = box.withLock { ($0.state.lane, $0.state.error != nil) }
        guard let lane = present else { return !hasFailed }
        let room = ThreadEvent()
        let mayWait = box.withLock { box in
            box.state.room = room
            return !box.state.isStopped
        }
        switch lane.submit(ticket: nil, ready: { room.signal() }) {
        case .open: return true
        case .closed: return false
        case .paused:
            if mayWait { room.wait() }
            return true
        }
    }

    func ended(_ error: ProcessPluginError?) {
        box.withLock { box in
            box.state.lane.take()?.close()
            if box.state.error == nil { box.state.error = error }
        }
        done.signal()
    }

    /// Stops waiting for room; any thread.
    func stop() {
        let room = box.withLock { box in
            box.state.isStopped = true
            return box.state.room
        }
        room?.signal()
    }

    private func lane() -> (any Lane)? {
        if let lane = box.withLock({ $0.state.lane }) { return lane }
        do {
            let lane = try intake.makeLane()
            box.withLock { $0.state.lane = lane }
            return lane
        } catch {
            box.withLock { $0.state.error = error }
            return nil
        }
    }
}

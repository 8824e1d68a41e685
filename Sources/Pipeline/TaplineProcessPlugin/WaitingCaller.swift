// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineSystem

/// A thread that waits for the answer to its call, or reads the output of the child until it has it.
///
/// **Isolation**: any thread; `next` only the one that waits.
final class WaitingCaller: Sendable {
    typealias Answer = Result<ChildLine.Answer, ProcessPluginError>

    /// What the thread does next.
    enum Step {
        /// It reads.
        case read(ChildOutput)
        /// It has its answer.
        case done(Answer)
    }

    private enum State {
        /// It neither reads nor sleeps.
        case running
        /// It sleeps until the event.
        case sleeping(ThreadEvent)
        /// It reads.
        case reading(ChildOutput)
        /// It has its answer.
        case settled(Answer)
    }

    private let state = Mutex(State.running)

    /// Sleeps until there is something to do.
    func next() -> Step {
        while true {
            let (step, event) = state.withLock { state -> (Step?, ThreadEvent?) in
                switch state {
                case .reading(let output): return (.read(output), nil)
                case .settled(let answer): return (.done(answer), nil)
                case .sleeping(let event): return (nil, event)
                case .running:
                    let event = ThreadEvent()
                    state = .sleeping(event)
                    return (nil, event)
                }
            }
            if let step { return step }
            event?.wait()
        }
    }

    /// Lets the thread read an output, unless it has its answer.
    func read(_ output: ChildOutput) {
        let event = state.withLock { state -> ThreadEvent? in
            switch state {
            case .settled, .reading: return nil
            case .running:
                state = .reading(output)
                return nil
            case .sleeping(let event):
                state = .reading(output)
                return event
            }
        }
        event?.signal()
    }

    /// Ends the reading of an output, which is over.
    func stopReading(_ output: ChildOutput) {
        state.withLock { state in
            if case .reading(let present) = state, present === output { state = .running }
        }
    }

    /// Gives the thread its answer.
    func settle(_ answer: Answer) {
        let former = state.withLock { state in
            let former = state
            state = .settled(answer)
            return former
        }
        switch former {
        case .sleeping(let event): event.signal()
        case .reading(let output): output.stream.endWait()
        case .running, .settled: break
        }
    }
}

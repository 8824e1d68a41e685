// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplinePlugin

/// A configured `url_protocol`: a place where the app that runs the pipeline hands in what it sends
/// and receives.
public final class CaptureSource: Source {
    private enum State {
        case idle
        /// The app wants to be told when exchanges can be handed in.
        case attached(@Sendable (CapturePort) -> Void)
        case running(CheckedContinuation<Void, Never>)
        case ended
    }

    /// Whether `URLSession.shared` is captured.
    public let capturesShared: Bool
    private let state = Mutex(State.idle)

    /// A source that captures `URLSession.shared`, too, or only the sessions that ask for it.
    public init(capturesShared: Bool) {
        self.capturesShared = capturesShared
    }

    /// Says where the port goes to when the pipeline runs; without that it does not run.
    public func attach(_ opened: @escaping @Sendable (CapturePort) -> Void) {
        state.withLock { if case .idle = $0 { $0 = .attached(opened) } }
    }

    /// Captures until its task is cancelled.
    public func run(_ intake: any Intake) async throws {
        guard case .attached(let opened) = state.withLock({ $0 }) else { throw CaptureError.noApp }
        let port = try CapturePort(intake)
        opened(port)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state -> Bool in
                    if case .ended = state { return true }
                    state = .running(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            end()
        }
        port.close()
    }

    private func end() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .ended }
            if case .running(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }
}

/// Why `url_protocol` does not run.
public enum CaptureError: Error, CustomStringConvertible {
    /// No app has attached itself.
    case noApp

    /// What is wrong, and what to do.
    public var description: String {
        "'url_protocol' captures within a Swift app: add the library 'Tapline' to the app and start "
            + "it there with Tapline.start(configuration:); to capture from outside use 'proxy'"
    }
}

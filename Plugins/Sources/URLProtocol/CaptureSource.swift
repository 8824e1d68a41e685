// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplinePlugin
internal import TaplineSystem

/// A configured `url_protocol`, to which the app that runs the pipeline passes its requests and
/// responses.
package final class CaptureSource: Source {
    /// Whether `URLSession.shared` is captured.
    package let capturesShared: Bool
    /// Always `true`.
    package var isWithinApp: Bool { true }
    /// Whether no request may reach the network, because stages answer all of them.
    private let isOffline: Bool
    /// The app's closure that receives the port, and whether stages may act.
    private struct Attached {
        let recordsOnly: Bool
        let opened: @Sendable (CaptureIntake) -> Void
    }

    private let attached = Mutex<Attached?>(nil)

    /// Creates a source that captures `URLSession.shared` as well, or only the sessions that ask
    /// for it.
    ///
    /// If it is offline, requests fail if a stage's answer cannot be passed to them.
    package init(capturesShared: Bool, isOffline: Bool = false) {
        self.capturesShared = capturesShared
        self.isOffline = isOffline
    }

    /// Sets the closure that receives the port when the pipeline runs; without it, the source does
    /// not run.
    ///
    /// - Parameters:
    ///   - recordsOnly: Whether no wire hook may run, because its result could not be carried out.
    ///   - opened: Receives the port.
    package func attach(
        recordsOnly: Bool = false,
        _ opened: @escaping @Sendable (CaptureIntake) -> Void
    ) {
        attached.withLock { $0 = Attached(recordsOnly: recordsOnly, opened: opened) }
    }

    /// Removes the closure that receives the port.
    package func detach() { attached.withLock { $0 = nil } }

    /// Captures until its task is cancelled.
    package func run(_ intake: any Intake) async throws {
        guard let app = attached.withLock({ $0.take() }) else { throw CaptureError.noApp }
        if isOffline, app.recordsOnly { throw CaptureError.notAnswerable }
        let port = try CaptureIntake(intake, isOffline: isOffline, recordsOnly: app.recordsOnly)
        app.opened(port)
        await OneShotEvent().wait()
        port.close()
    }
}

/// The reason why `url_protocol` does not run.
package enum CaptureError: Error, CustomStringConvertible {
    /// The source is not attached to an app.
    case noApp
    /// Stages cannot answer requests with this version of Foundation, and no request may reach the
    /// network.
    case notAnswerable

    /// The problem, and what to do about it.
    package var description: String {
        switch self {
        case .noApp:
            "'url_protocol' captures within a Swift app: add the library 'Tapline' to the app and "
                + "call Tapline.start(configuration:) there; to capture from outside the app, use "
                + "'proxy'"
        case .notAnswerable:
            "'url_protocol' cannot answer requests with this version of Foundation, and none may "
                + "reach the network: use a version that Tapline supports"
        }
    }
}

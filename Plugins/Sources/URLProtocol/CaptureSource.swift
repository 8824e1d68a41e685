// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplinePlugin

/// A configured `url_protocol`.
///
/// The library of the app attaches the capture; a program without that library has only the options.
package final class CaptureSource: Source {
    /// Captures until its task is cancelled.
    package typealias Capture = @Sendable (any Intake) async throws -> Void

    /// Whether `URLSession.shared` is captured.
    package let capturesShared: Bool
    /// Always `true`.
    package var isWithinApp: Bool { true }
    private let attached = Mutex<Capture?>(nil)

    /// Creates a source that captures `URLSession.shared` as well, or only the sessions that ask
    /// for it.
    package init(capturesShared: Bool) {
        self.capturesShared = capturesShared
    }

    /// Sets the capture, which runs when the pipeline runs; without it, the source does not run.
    package func attach(_ capture: @escaping Capture) { attached.withLock { $0 = capture } }

    /// Removes the capture.
    package func detach() { attached.withLock { $0 = nil } }

    /// Runs the attached capture.
    package func run(_ intake: any Intake) async throws {
        guard let capture = attached.withLock({ $0.take() }) else { throw NoAppError() }
        try await capture(intake)
    }
}

/// The source is not attached to an app.
package struct NoAppError: Error, CustomStringConvertible {
    /// The problem, and what to do about it.
    package var description: String {
        "'url_protocol' captures within a Swift app: add the library 'Tapline' to the app and "
            + "call Tapline.start(configuration:) there; to capture from outside the app, use "
            + "'proxy'"
    }
}

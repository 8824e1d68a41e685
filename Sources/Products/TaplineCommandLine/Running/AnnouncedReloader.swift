// SPDX-License-Identifier: MIT

internal import TaplineOperations

/// Reloads a pipeline, after a signal, a call of the control listener or a change of its file, and
/// notifies the service manager.
///
/// **Isolation**: any thread.
final class AnnouncedReloader: PipelineReloading {
    private let reloader: any PipelineReloading
    private let service: ServiceSession

    init(_ reloader: any PipelineReloading, _ service: ServiceSession) {
        self.reloader = reloader
        self.service = service
    }

    var reloads: ReloadHistory { reloader.reloads }

    func reload(answered: @escaping @Sendable (ReloadOutcome) -> Void) {
        service.reloadBegan()
        reloader.reload { [self] outcome in
            service.reloadEnded(outcome, reloader.reloads)
            answered(outcome)
        }
    }
}

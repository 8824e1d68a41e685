// SPDX-License-Identifier: MIT

internal import TaplineControl
internal import TaplineOperations
internal import TaplineRuntime
internal import TaplineSystem

/// What operates a run from outside, apart from signals: the control listener, and changes of files.
struct RunOperations {
    private let control: ControlServer?
    private let watch: FileWatch<Void>?

    /// Starts what the file of a pipeline asks for.
    ///
    /// - Throws: If the control listener cannot listen, or a thread cannot be started.
    init(
        of pipeline: Pipeline,
        _ topology: Topology,
        _ loader: PipelineLoader,
        _ reloader: any PipelineReloading,
        _ writer: LogWriter
    ) throws {
        control = try PipelineServer.start(
            topology,
            pipeline,
            reloading: reloader,
            writer,
            loader.invocation
        )
        guard topology.isWatched, let path = loader.path else {
            watch = nil
            return
        }
        watch = try PipelineWatch.start(path, pipeline, reloader)
    }

    /// Stops all of it.
    func stop() {
        control?.stop()
        watch?.stop()
    }
}

// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineOperations
internal import TaplineRuntime
internal import TaplineSystem

/// Reloads a pipeline when its file, or a file that its components have read, changes.
enum PipelineWatch {
    /// Starts to watch a file.
    ///
    /// - Parameters:
    ///   - path: The pipeline file.
    ///   - pipeline: The pipeline.
    ///   - reloader: Reloads it, and logs the results.
    ///   - interval: The time between two looks at the files.
    /// - Returns: The watch, which ends when it is released.
    /// - Throws: `DedicatedThreadError` if no thread can be started.
    static func start(
        _ path: String,
        _ pipeline: Pipeline,
        _ reloader: any PipelineReloading,
        every interval: Duration = .milliseconds(250)
    ) throws(DedicatedThreadError) -> FileWatch<Void> {
        let watch = FileWatch(path, (), files: pipeline.configurationFiles)
        try watch.start(every: interval) {
            let files = [path] + pipeline.configurationFiles
            let stamps = FileStamps(files)
            let done = DispatchSemaphore(value: 0)
            reloader.reload { _ in done.signal() }
            done.wait()
            // A failed reload leaves the former files, one of which has to be mended.
            return FileWatch.Version((), files: pipeline.configurationFiles, stamps: stamps)
        }
        return watch
    }
}

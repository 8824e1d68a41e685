// SPDX-License-Identifier: MIT

internal import Dispatch

/// A separate queue for a pipeline, so that an app can wait for its start from any context.
final class PipelineExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tapline.pipeline")

    /// Waits until the running job has ended and its objects are freed.
    func wait() { queue.sync {} }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

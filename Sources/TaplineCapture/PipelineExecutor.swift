// SPDX-License-Identifier: MIT

internal import Dispatch

/// A queue of its own for a pipeline, so that an app may wait for its start wherever it is.
final class PipelineExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tapline.pipeline")

    /// Waits until what runs now has ended and what it held is freed.
    func wait() { queue.sync {} }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

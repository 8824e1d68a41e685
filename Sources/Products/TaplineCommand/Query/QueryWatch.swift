// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineCommandLine
internal import TaplineFormats
internal import TaplineStore

/// Shows on a terminal the progress of a query that takes over a second, and cancels the query if
/// the user interrupts it or nobody reads its output any more.
final class QueryWatch {
    /// In seconds.
    private static let start = 1.0
    private static let interval = 0.25

    /// What the query reports, and is cancelled by.
    let progress = QueryProgress()
    private let console: Console
    /// What has happened to the part that is done.
    private let verb: String
    private let queue = DispatchQueue(label: "tapline.query")
    private let timer: any DispatchSourceTimer
    private let signals: Signals?

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - console: Where the progress is shown.
    ///   - output: The output, whose pager may have the terminal; `nil` if there is no pager.
    ///   - endsQuery: Whether the interrupt key ends the query, rather than the process.
    ///   - verb: What has happened to the part that is done.
    init(
        _ console: Console,
        _ output: PagedOutput? = nil,
        endsQuery: Bool = true,
        verb: String = "searched"
    ) {
        self.console = console
        self.verb = verb
        let progress = self.progress
        signals =
            endsQuery
            ? Signals {
                progress.cancel()
                // A pager also receives the key, and needs this process until the user leaves it.
                return output?.isPaging != true
            } : nil
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.start, repeating: Self.interval)
        timer.setEventHandler {
            output?.checkReader()
            if output?.isClosed == true {
                progress.cancel()
            } else if output?.isPaging != true {
                console.showProgress(Self.text(progress, verb))
            }
        }
        timer.resume()
    }

    /// Stops showing the progress.
    func end() {
        // After this, no handler runs.
        queue.sync { timer.cancel() }
        console.showProgress("")
    }

    /// Reports that the user has interrupted the query, after `end`.
    ///
    /// - Parameter found: What it has found until then.
    func noteInterrupt(_ found: String? = nil) {
        let end = found.map { ", \($0)" } ?? ""
        console.note("tapline: interrupted; \(Self.text(progress, verb))\(end)")
    }

    /// The progress of the query.
    static func text(_ progress: QueryProgress, _ verb: String = "searched") -> String {
        if let part = progress.part { return "\(Int(part * 100)) % \(verb)" }
        return progress.bytes > 0 ? "\(Quantities.size(progress.bytes)) searched" : "searching"
    }
}

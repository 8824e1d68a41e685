// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineStore
internal import TaplineSystem

/// Looks ten times a second whether the stores have changed, on a thread of its own.
///
/// **Isolation**: any thread.
final class StorePoller: Sendable {
    private static let interval = DispatchTimeInterval.milliseconds(100)
    /// After how many looks the files are compared, and a store that cannot be read is tried again.
    private static let rareLooks = 10

    private let names: [String]
    private let generation: StoreGeneration
    private let found: @Sendable (StoreHead, [UnfinishedExchange]) -> Void
    private let failed: @Sendable (StoreStatus?) -> Void
    private let tick: @Sendable () -> Void
    private let stopping = DispatchSemaphore(value: 0)
    private let thread = Mutex<DedicatedThread?>(nil)

    /// Prepares to look.
    ///
    /// - Parameters:
    ///   - names: The stores.
    ///   - generation: Is advanced when other files have taken the place of the stores.
    ///   - found: Receives what the stores have, and what is in progress, after each change.
    ///   - failed: Receives why the stores cannot be read; `nil` once they can.
    ///   - tick: Called after each look.
    init(
        _ names: [String],
        _ generation: StoreGeneration,
        found: @escaping @Sendable (StoreHead, [UnfinishedExchange]) -> Void,
        failed: @escaping @Sendable (StoreStatus?) -> Void,
        tick: @escaping @Sendable () -> Void
    ) {
        self.names = names
        self.generation = generation
        self.found = found
        self.failed = failed
        self.tick = tick
    }

    func start() throws {
        let started = try DedicatedThread.start { [self] in run() }
        thread.withLock { $0 = started }
    }

    func stop() {
        guard let running = thread.withLock({ $0.take() }) else { return }
        stopping.signal()
        running.join()
    }

    private func run() {
        var watched = WatchedFiles(OpenStores(names, generation), generation)
        var looks = 0
        var isBroken = false
        repeat {
            let isRare = looks % Self.rareLooks == 0
            if !isBroken || isRare {
                do {
                    if let change = try watched.look(comparesFiles: isRare) {
                        found(change.head, change.unfinished)
                    }
                    failed(nil)
                    isBroken = false
                } catch {
                    watched.forget()
                    failed(StoreStatus(error))
                    isBroken = true
                }
            }
            tick()
            looks += 1
        } while stopping.wait(timeout: .now() + Self.interval) == .timedOut
    }
}

/// The stores as the poller has them open, and the files that they were.
private struct WatchedFiles {
    /// How many exchanges in progress are shown.
    private static let maxUnfinished = 200

    private let open: OpenStores
    private let generation: StoreGeneration
    private var watch: (watch: StoreWatch, generation: Int)?
    private var files: [FileStatus?] = []

    init(_ open: OpenStores, _ generation: StoreGeneration) {
        self.open = open
        self.generation = generation
    }

    /// Opens the stores again next time.
    mutating func forget() {
        watch = nil
        generation.advance()
    }

    /// Returns what the stores have; `nil` if nothing has changed.
    mutating func look(
        comparesFiles: Bool
    ) throws -> (head: StoreHead, unfinished: [UnfinishedExchange])? {
        var stores = try open.stores()
        if comparesFiles, watch != nil, try statuses(of: stores).contains(where: \.isOther) {
            generation.advance()
            stores = try open.stores()
        }
        let current = generation.current
        if watch?.generation != current {
            watch = (StoreWatch(stores), current)
            files = try statuses(of: stores).map(\.status)
        }
        guard let head = try watch?.watch.look() else { return nil }
        return (head, try stores.unfinished(limit: Self.maxUnfinished))
    }

    /// The files at the paths of the stores, and whether they are others than before.
    private func statuses(
        of stores: StoreSet
    ) throws -> [(status: FileStatus?, isOther: Bool)] {
        try (0..<stores.count).map { index in
            let status = try FileSystem.status(of: stores[index].path)
            guard files.indices.contains(index) else { return (status, false) }
            let old = files[index]
            guard let status, let old else { return (status, (status == nil) != (old == nil)) }
            // An empty file may become a database; one that is shorter has other content.
            let isOther = !status.isSameFile(as: old) || status.size < old.size
            return (status, isOther || (old.size == 0 && status.size > 0))
        }
    }
}

// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineStore
internal import TaplineSystem

/// Looks ten times a second whether the stores have changed, on a thread of its own.
///
/// **Isolation**: any thread.
final class StorePoller: Sendable {
    private static let interval: Int64 = 100_000
    /// After how many looks the files are compared, and a store that cannot be read is tried again.
    private static let rareLooks = 10

    private let names: [String]
    private let folder: String?
    private let current: CurrentStores
    private let hub: EventHub
    private let tick: @Sendable () -> Void
    private let stopping = ThreadEvent()
    private let thread = Mutex<DedicatedThread?>(nil)

    /// Prepares to look.
    ///
    /// - Parameters:
    ///   - names: The stores.
    ///   - folder: Has further stores, or none yet; `nil` for none.
    ///   - current: Gets what is found before the hub does.
    ///   - hub: Is notified of each change.
    ///   - tick: Called after each look.
    init(
        _ names: [String],
        addedIn folder: String? = nil,
        _ current: CurrentStores,
        _ hub: EventHub,
        tick: @escaping @Sendable () -> Void = {}
    ) {
        self.names = names
        self.folder = folder
        self.current = current
        self.hub = hub
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
        var watched = WatchedStores(names, addedIn: folder, current)
        var looks = 0
        var isBroken = false
        repeat {
            let isRare = looks % Self.rareLooks == 0 || current.takeWantedLook()
            if !isBroken || isRare {
                do {
                    if let change = try watched.look(comparesFiles: isRare) { pass(on: change) }
                    current.recover()
                    isBroken = false
                } catch {
                    watched.failed(error)
                    isBroken = true
                }
                if let status = current.status { hub.note(status) }
            }
            hub.tick()
            tick()
            looks += 1
        } while !stopping.wait(until: SteadyClock.microseconds + Self.interval)
    }

    private func pass(on change: WatchedStores.Change) {
        for id in change.annotated { hub.noteChange(of: id) }
        hub.note(change.head, change.unfinished)
    }
}

/// The stores as the poller has them open.
private struct WatchedStores {
    struct Change {
        let head: NumberedHead
        let unfinished: [UnfinishedExchange]
        /// The exchanges with other notes, marks or tags.
        let annotated: [ExchangeID]
    }

    private struct Open {
        let stores: StoreSet
        let generation: StoreGeneration
        let watch: StoreWatch
        let annotations: AnnotationWatch
    }

    /// How many exchanges in progress are shown.
    private static let maxUnfinished = 200
    /// How often opening begins again if files are replaced meanwhile.
    private static let maxTries = 3

    private let names: [String]
    private let folder: String?
    private let current: CurrentStores
    private var open: Open?

    init(_ names: [String], addedIn folder: String?, _ current: CurrentStores) {
        self.names = names
        self.folder = folder
        self.current = current
    }

    /// Handles that a look has failed: the stores are opened again next time, unless they are only
    /// locked.
    mutating func failed(_ error: any Error) {
        let isLocked = (error as? StoreError)?.code == .locked && open != nil
        if !isLocked { open = nil }
        current.fail(StoreStatus(error), keepsGeneration: isLocked)
    }

    /// Returns what the stores have, which calls get from now on; `nil` if nothing has changed.
    mutating func look(comparesFiles: Bool) throws -> Change? {
        if let open, comparesFiles,
            try !open.generation.isInPlace()
                || !added().allSatisfy(open.generation.paths.contains)
        {
            self.open = nil
        }
        guard let open else {
            let (opened, head) = try openAgain()
            self.open = opened
            return try change(opened, head, [])
        }
        // Asked first: a mark that is set in between is found by the next look.
        let annotated = try open.annotations.look()
        let head = try open.watch.look()
        if annotated != nil { open.generation.noteAnnotations() }
        if let head { open.generation.heads.note(head) }
        guard head != nil || annotated != nil else { return nil }
        return try change(open, open.generation.heads.current, annotated ?? [])
    }

    private func change(
        _ open: Open,
        _ head: NumberedHead,
        _ annotated: [ExchangeID]
    ) throws -> Change {
        let unfinished = try open.stores.unfinished(limit: Self.maxUnfinished)
        return Change(head: head, unfinished: unfinished, annotated: annotated)
    }

    /// Opens the files that are there now, and publishes them with what they have.
    private func openAgain() throws -> (Open, NumberedHead) {
        for _ in 0..<Self.maxTries {
            let added = try added()
            let paths = try (names + added).flatMap { try StoreFiles.resolve($0) }
            let files = try Self.statuses(of: paths)
            let copies = current.makeCopies()
            let stores = try StoreSet(
                names + added,
                countingOnce: copies,
                comparesRecordings: true
            )
            let annotations = AnnotationWatch(stores)
            _ = try annotations.look()
            let watch = StoreWatch(stores)
            let head = try watch.look()
            let opened = (0..<stores.count).map { stores[$0].path }
            let isSame = try Self.areSame(files, Self.statuses(of: paths))
            guard let head, paths == opened, isSame else { continue }
            let generation = current.publish(paths, files, head, copies)
            let open = Open(
                stores: stores,
                generation: generation,
                watch: watch,
                annotations: annotations
            )
            return (open, generation.heads.current)
        }
        throw APIError.beingRead
    }

    /// The further stores that are there now.
    private func added() throws(StoreError) -> [String] {
        try folder.map { folder throws(StoreError) in try StoreFiles.resolve(folder) } ?? []
    }

    private static func statuses(of paths: [String]) throws -> [FileStatus?] {
        try paths.map { try FileSystem.status(of: $0) }
    }

    private static func areSame(_ old: [FileStatus?], _ new: [FileStatus?]) -> Bool {
        zip(old, new).allSatisfy { old, new in
            guard let old, let new else { return old == nil && new == nil }
            return old.isSameFile(as: new)
        }
    }
}

// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineStore
internal import TaplineSystem

/// The files that the stores are, and what they have; other files in their place are another
/// generation.
///
/// Everything that is found in the stores belongs to one generation: heads, lists, kept rows and
/// kept answers. Positions of one generation mean nothing in another one.
///
/// **Isolation**: any thread.
final class StoreGeneration: Sendable {
    /// Counted from 1.
    let number: Int
    /// The path of each store.
    let paths: [String]
    /// What the heads of these files were.
    let heads: Heads
    /// Finds the rows that several databases have; `nil` if each copy counts.
    let copies: ExchangeCopies?
    /// The files when they were opened first; `nil` for a path without a file.
    private let files: [FileStatus?]
    /// The largest size of each file so far.
    private let sizes: Mutex<[Int]>
    private let changes = Atomic<Int>(0)

    init(
        _ number: Int,
        _ paths: [String],
        _ files: [FileStatus?],
        _ heads: Heads,
        _ copies: ExchangeCopies?
    ) {
        self.number = number
        self.paths = paths
        self.files = files
        sizes = Mutex(files.map { $0?.size ?? 0 })
        self.heads = heads
        self.copies = copies
    }

    /// How often notes, marks and tags have changed: what depends on them is found again.
    var annotations: Int { changes.load(ordering: .acquiring) }

    /// Notes that annotations have changed.
    func noteAnnotations() { changes.wrappingAdd(1, ordering: .releasing) }

    /// Whether the paths still name these files.
    func isInPlace() throws(FileError) -> Bool {
        // Asked while it is locked: a size must not be compared with a later one.
        try sizes.withLock { sizes throws(FileError) -> Bool in
            for (index, (path, old)) in zip(paths, files).enumerated() {
                let status = try FileSystem.status(of: path)
                guard let status, let old else {
                    if (status == nil) != (old == nil) { return false }
                    continue
                }
                // An empty file may become a database; one that has become shorter since any
                // earlier look has other content.
                if !status.isSameFile(as: old) || status.size < sizes[index] { return false }
                if old.size == 0, status.size > 0 { return false }
                sizes[index] = status.size
            }
            return true
        }
    }
}

/// Stores as one thread has them open, and which generation they are.
///
/// **Isolation**: its thread.
struct OpenedStores {
    let stores: StoreSet
    let generation: StoreGeneration
}

/// The generation that calls get, or why there is none: one value, replaced as a whole.
///
/// **Isolation**: any thread; one thread publishes.
final class CurrentStores: Sendable {
    private struct State {
        var generation: StoreGeneration?
        /// `nil` before the first look.
        var status: StoreStatus?
        var count = 0
        /// The number that the heads of the next generation begin with.
        var base: Int64 = 0
    }

    /// Whether an exchange that several databases have is several rows.
    private let countsEachCopy: Bool
    private let state = Mutex(State())
    private let isLookWanted = Atomic<Bool>(false)

    init(countsEachCopy: Bool = false) { self.countsEachCopy = countsEachCopy }

    /// What finds the copies in the next generation; `nil` if each copy counts.
    func makeCopies() -> ExchangeCopies? { countsEachCopy ? nil : ExchangeCopies() }

    /// `nil` while the stores cannot be read.
    var generation: StoreGeneration? { state.withLock { $0.generation } }

    /// The state of the stores; `nil` before the first look.
    var status: StoreStatus? { state.withLock { $0.status } }

    /// Makes other files the stores, together with what they have.
    @discardableResult
    func publish(
        _ paths: [String],
        _ files: [FileStatus?],
        _ head: StoreHead,
        _ copies: ExchangeCopies? = nil
    ) -> StoreGeneration {
        state.withLock { state in
            if let old = state.generation { state.base = old.heads.end }
            state.count += 1
            let heads = Heads(head, base: state.base)
            let generation = StoreGeneration(state.count, paths, files, heads, copies)
            state.generation = generation
            state.status = .ok
            return generation
        }
    }

    /// Notes why the stores cannot be read.
    ///
    /// - Parameters:
    ///   - status: What is wrong.
    ///   - keeps: Whether the files are still the same, and soon readable again.
    func fail(_ status: StoreStatus, keepsGeneration keeps: Bool = false) {
        state.withLock { state in
            state.status = status
            guard !keeps, let old = state.generation else { return }
            state.base = old.heads.end
            state.generation = nil
        }
    }

    /// Notes that the stores, which are the same, can be read again.
    func recover() { state.withLock { if $0.generation != nil { $0.status = .ok } } }

    /// Returns the generation for a call.
    ///
    /// - Throws: `APIError` if the stores cannot be read.
    func current() throws(APIError) -> StoreGeneration {
        let (generation, status) = state.withLock { ($0.generation, $0.status) }
        if let generation { return generation }
        if let status, status != .ok { throw APIError(status) }
        throw .beingRead
    }

    // MARK: Looking at the files

    /// Has the files compared soon, since a thread has found others.
    func wantLook() { isLookWanted.store(true, ordering: .relaxed) }

    /// Returns whether that is wanted, once.
    func takeWantedLook() -> Bool { isLookWanted.exchange(false, ordering: .relaxed) }
}

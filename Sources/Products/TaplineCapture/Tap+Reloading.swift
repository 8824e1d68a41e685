// SPDX-License-Identifier: MIT

public import Foundation
internal import Synchronization
public import TaplinePlugin

/// What a reload has changed.
public struct TapReload: Sendable, Equatable {
    /// The number of the configuration that runs now, counted from 1 at the start of the tap.
    public let generation: Int
    /// The ids of the components that were added, replaced, removed or moved; empty if nothing has
    /// changed.
    public let changed: [String]
}

extension Tap {
    /// Applies the tap's configuration again: a file is read again, and scripts, rules and patterns
    /// count as changed if their files have.
    ///
    /// Everything new is opened first. Unchanged components continue, and requests under way end
    /// with the stages that they began with. Concurrent calls reload one after the other.
    ///
    /// - Returns: What has changed; `nil` if the tap does not run.
    /// - Throws: `TapError` with the mistakes in the configuration, with a component that did not
    ///   start, or with a change that needs a restart, such as one of the source; nothing has
    ///   changed then.
    @discardableResult
    public func reload() async throws -> TapReload? { try await reload(to: nil) }

    /// Replaces the tap's configuration by that of a YAML file, like `reload()`.
    ///
    /// - Parameters:
    ///   - configuration: The file.
    ///   - plugins: Plugins in addition to the built-in ones.
    /// - Returns: What has changed; `nil` if the tap does not run.
    /// - Throws: Like `reload()`.
    @discardableResult
    public func reload(
        configuration: URL,
        plugins: PluginRegistry = PluginRegistry()
    ) async throws -> TapReload? {
        try await reload(to: Tap.maker(of: configuration, plugins))
    }

    /// Replaces the tap's configuration by components, like `reload()`.
    ///
    /// Without a source among them, the tap captures what it did. A stage or sink of the app
    /// continues if the same `Component`, or a copy of it, is passed again.
    ///
    /// - Parameters:
    ///   - plugins: Plugins in addition to the built-in ones.
    ///   - components: The components; not built if the tap does not run.
    /// - Returns: What has changed; `nil` if the tap does not run.
    /// - Throws: Like `reload()`.
    @discardableResult
    public func reload(
        plugins: PluginRegistry = PluginRegistry(),
        @ComponentBuilder components: () -> [Component]
    ) async throws -> TapReload? {
        guard let run, !run.isStopping else { return nil }
        return try await reload(to: Tap.maker(of: components(), run.captureSettings, plugins))
    }

    /// Reloads after all reloads that were requested before.
    private func reload(to makePlan: PlanMaker?) async throws -> TapReload? {
        let task = lastReload.withLock { last in
            let former = last
            let task = Task {
                await former?.value
                return try await self.apply(makePlan)
            }
            last = Task { _ = await task.result }
            return task
        }
        return try await task.value
    }

    private func apply(_ new: PlanMaker?) async throws -> TapReload? {
        guard let run, !run.isStopping else { return nil }
        let makePlan = new ?? configuration.withLock(\.self)
        let plan = try makePlan(memory)
        let reload = try await run.reload(to: plan)
        guard keep(new, appliedBy: run) else { return nil }
        for warning in plan.warnings { log.noted.warning(warning) }
        let ids = reload.changed.joined(separator: ", ")
        log.noted.of("reload").info(
            "generation \(reload.generation) runs; "
                + (ids.isEmpty ? "nothing changed" : "changed: \(ids)")
        )
        return reload
    }

    /// Stores a configuration for the next reload or start, unless the run that has applied it has
    /// ended meanwhile: another one may run with the former configuration.
    ///
    /// - Parameters:
    ///   - new: The configuration; `nil` for the stored one.
    ///   - run: The run that has applied it.
    /// - Returns: Whether the run is still the current one.
    func keep(_ new: PlanMaker?, appliedBy run: TapRun) -> Bool {
        configuration.withLock { configuration in
            guard self.run === run else { return false }
            if let new { configuration = new }
            return true
        }
    }
}

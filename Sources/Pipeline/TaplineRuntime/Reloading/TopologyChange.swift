// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// What a new topology changes in a running one.
struct TopologyChange {
    /// The new topology, with the running components where these are unchanged.
    let topology: Topology
    /// The ids of the components that were added, replaced, removed or moved, in the order of the
    /// new file.
    let ids: [String]
    /// Whether anything has changed.
    let isEmpty: Bool

    init(from old: Topology, to new: Topology) {
        var merged = new
        var ids: [String] = []
        merged.sources = new.sources.map { component in
            let same = old.sources.first {
                $0.id == component.id && $0.identity.matches(component.identity)
            }
            if same == nil { ids.append(component.id) }
            return same ?? component
        }
        merged.stages = new.stages.map { component in
            let same = old.stages.first {
                $0.id == component.id && $0.identity.matches(component.identity)
            }
            if same == nil { ids.append(component.id) }
            return same ?? component
        }
        merged.sinks = new.sinks.map { component in
            let same = old.sinks.first {
                $0.id == component.id && $0.identity.matches(component.identity)
            }
            if same == nil { ids.append(component.id) }
            return same ?? component
        }
        ids += Self.moved(old.stages.map(\.id), new.stages.map(\.id)).filter { !ids.contains($0) }
        let known = Set((new.sources.map(\.id) + new.stages.map(\.id) + new.sinks.map(\.id)))
        let former = old.sources.map(\.id) + old.stages.map(\.id) + old.sinks.map(\.id)
        ids += former.filter { !known.contains($0) }
        let runtime = old.runtimeValues != new.runtimeValues
        if runtime { ids.append("runtime") }
        topology = merged
        self.ids = ids
        isEmpty = ids.isEmpty
    }

    /// The stages that stand in both lists, but in another order.
    private static func moved(_ old: [String], _ new: [String]) -> [String] {
        let both = Set(old).intersection(new)
        let (before, after) = (old.filter(both.contains), new.filter(both.contains))
        return zip(before, after).filter { $0 != $1 }.map(\.1)
    }

    /// Why a topology cannot replace a running one without a restart; `nil` if it can.
    static func obstacle(from old: Topology, to new: Topology) -> String? {
        if old.spillFolder != new.spillFolder {
            return "'runtime.spill' has changed, which needs a restart"
        }
        if old.isWatched != new.isWatched {
            return "'runtime.watch' has changed, which needs a restart"
        }
        if old.control != new.control || old.controlTokenFile != new.controlTokenFile {
            return "'runtime.control' has changed, which needs a restart"
        }
        if old.sources.contains(where: { $0.source.isWithinApp }),
            !old.sources.elementsEqual(
                new.sources,
                by: { $0.id == $1.id && $0.identity.matches($1.identity) }
            )
        {
            return "the source of an app has changed, which needs a restart"
        }
        return nil
    }
}

extension Topology {
    /// The values of `runtime` that a reload applies.
    fileprivate var runtimeValues: [String] {
        [
            "\(memory)", "\(drainTimeout.count)", "\(recordsProvenance)", "\(shedding)",
            "\(maxExchangesInFlight ?? .max)",
        ] + protectedPaths
    }

    /// Whether recording is shed under the same conditions.
    func sheds(like other: Topology) -> Bool {
        shedding == other.shedding
            && sources.contains(where: \.isLive) == other.sources.contains(where: \.isLive)
    }
}

extension Topology {
    /// Keeps the running source of an app if the new one captures the same, so that a reload may
    /// declare it in another place.
    package mutating func keepSource(of running: Topology) {
        guard let old = running.sources.first, let new = sources.first, new.id == old.id,
            new.captureMaxBytes == old.captureMaxBytes, new.sampling == old.sampling,
            case .none = new.condition, case .none = old.condition
        else { return }
        sources[0] = old
    }
}

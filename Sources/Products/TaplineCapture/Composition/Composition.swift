// SPDX-License-Identifier: MIT

internal import TaplineComponents
internal import TaplineConfig
internal import TaplineModel
internal import TaplineRuntime

/// Converts components to the configuration tree of an equivalent file.
///
/// In diagnostics, the component and its option take the place of a file's line.
struct Composition {
    let components: [Component]
    let maxBodySize: Int
    let capturesShared: Bool

    static let sourceName = Component.urlProtocol().plugin
    private static let maxBodyKey = "capture_max_bytes"

    /// Returns the tree of the equivalent file, and reports values that no file could have.
    func node(into diagnostics: inout Diagnostics) -> ConfigNode {
        let tap = CodePlace("Tap")
        let source = source(into: &diagnostics)
        var parts: [Component.Place: [ConfigNode]] = [:]
        let others: Set<Component.Place> = [.source, .runtime]
        for (component, id) in zip(components, ids) where !others.contains(component.place) {
            let node = Composition.node(component, id, into: &diagnostics)
            parts[component.place, default: []].append(node)
        }
        return tap.mapping([
            ("version", tap.node(.plain("1"), into: &diagnostics)),
            ("sources", tap.sequence([source])),
            ("stages", tap.sequence(parts[.stage] ?? [])),
            ("sinks", tap.sequence(parts[.sink] ?? [])),
            ("runtime", runtime(into: &diagnostics)),
        ])
    }

    /// Returns the source, with the tap's settings unless the source has its own.
    private func source(into diagnostics: inout Diagnostics) -> ConfigNode {
        var source = only(.source, CodePlace("Tap, source"), into: &diagnostics) ?? .urlProtocol()
        if source.options.isEmpty { source.options = [("shared", .plain("\(capturesShared)"))] }
        let limit = Composition.maxBodyKey
        let isLimited = source.common.contains { $0.name == limit }
        let maxBody = CodePlace("Tap").member("maxBodySize")
        return Composition.node(
            source,
            source.id ?? source.plugin,
            besides: isLimited
                ? [] : [(limit, maxBody.node(.bytes(maxBodySize), into: &diagnostics))],
            into: &diagnostics
        )
    }

    /// Returns the limits of the whole pipeline.
    private func runtime(into diagnostics: inout Diagnostics) -> ConfigNode {
        let place = CodePlace("Tap, runtime")
        let runtime = only(.runtime, place, into: &diagnostics)
        return place.node(.map(runtime.map { $0.options + $0.common } ?? []), into: &diagnostics)
    }

    /// Returns the component of a kind that may occur only once.
    private func only(
        _ place: Component.Place,
        _ location: CodePlace,
        into diagnostics: inout Diagnostics
    ) -> Component? {
        let all = components.filter { $0.place == place }
        if all.count > 1 {
            diagnostics.error(
                at: location.location(),
                "it is given \(all.count) times; expected it once, with all its options"
            )
        }
        return all.first
    }

    private static func node(
        _ component: Component,
        _ id: String,
        besides others: [(name: String, value: ConfigNode)] = [],
        into diagnostics: inout Diagnostics
    ) -> ConfigNode {
        let plugin = id == component.plugin ? "" : " (\(component.plugin))"
        let place = CodePlace("Tap, \(component.place.rawValue) '\(id)'\(plugin)")
        let options = place.node(.map(component.options), into: &diagnostics)
        let common = component.common.map { name, value in
            (name, place.member(name).node(value, into: &diagnostics))
        }
        return place.mapping([(component.plugin, options)] + common + others)
    }

    /// The ids of the components.
    private var ids: [String] {
        let source = components.first { $0.place == .source }
        var taken: Set = [source?.id ?? Composition.sourceName]
        let places: [Component.Place] = [.stage, .sink]
        var ids = Array(repeating: "", count: components.count)
        for place in places {
            for (position, component) in components.enumerated() where component.place == place {
                ids[position] =
                    component.id
                    ?? TopologyBuilder.defaultID(of: component.plugin) { taken.contains($0) }
                taken.insert(ids[position])
            }
        }
        return ids
    }
}

/// The place of a value in code: its component and option.
private struct CodePlace {
    private let component: String
    private var option = ""

    init(_ component: String) { self.component = component }

    /// Returns the place of an option within this one.
    func member(_ name: String) -> CodePlace { within(option.isEmpty ? name : "\(option).\(name)") }

    private func element(_ index: Int) -> CodePlace { within("\(option)[\(index)]") }

    private func within(_ option: String) -> CodePlace {
        var place = self
        place.option = option
        return place
    }

    /// Returns the place for diagnostics, with the text that they show.
    func location(_ text: String = "") -> SourceLocation {
        let name = option.isEmpty ? component : "\(component), option '\(option)'"
        let source = ConfigSource(name: name, text: text, hasLines: false)
        return source.location(at: 0, length: text.utf8.count)
    }

    func sequence(_ elements: [ConfigNode]) -> ConfigNode {
        ConfigNode(.sequence(elements), at: location())
    }

    func mapping(_ pairs: [(name: String, value: ConfigNode)]) -> ConfigNode {
        let pairs = pairs.map { name, value in
            (key: ConfigNode(.scalar(name, isPlain: false), at: value.location), value: value)
        }
        return ConfigNode(.mapping(pairs), at: location())
    }

    /// Returns the value as a node of a file.
    func node(_ value: Component.Value, into diagnostics: inout Diagnostics) -> ConfigNode {
        switch value {
        case .text(let text): return ConfigNode(.scalar(text, isPlain: false), at: location(text))
        case .plain(let text): return ConfigNode(.scalar(text, isPlain: true), at: location())
        case .bytes(let count):
            if count < 0 { refuse("size", "\(count)", "0 or more bytes", into: &diagnostics) }
            return node(.plain("\(count.magnitude)B"), into: &diagnostics)
        case .time(let time):
            let count = Microseconds(time).count
            if count < 0 { refuse("time", "\(time)", "0 or more", into: &diagnostics) }
            return node(.plain("\(count.magnitude)us"), into: &diagnostics)
        case .list(let values):
            let elements = values.enumerated().map { index, value in
                element(index).node(value, into: &diagnostics)
            }
            return sequence(elements)
        case .map(let pairs):
            let members = pairs.map { name, value in
                (name, member(name).node(value, into: &diagnostics))
            }
            return mapping(members)
        }
    }

    private func refuse(
        _ kind: String,
        _ found: String,
        _ expected: String,
        into diagnostics: inout Diagnostics
    ) {
        diagnostics.error(
            at: location(),
            "a \(kind) cannot be negative; found \(found), expected \(expected)"
        )
    }
}

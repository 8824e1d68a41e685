// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineQuery

/// Checks that need all components: their order, and the resources that they share.
struct GraphCheck {
    let topology: Topology
    let shape: PipelineShape
    /// Who runs the pipeline.
    let purpose: TopologyBuilder.Purpose
    /// Whether the file itself was read from standard input.
    let standardInputIsTaken: Bool

    func run(into diagnostics: inout Diagnostics) {
        checkCount(into: &diagnostics)
        checkSources(into: &diagnostics)
        checkClaims(into: &diagnostics)
        GraphCheck.checkConditions(
            Array(zip(shape.stages, topology.stages)),
            into: &diagnostics
        )
        checkRedaction(into: &diagnostics)
    }

    private func checkCount(into diagnostics: inout Diagnostics) {
        guard topology.stages.count > Topology.maxStages else { return }
        diagnostics.error(
            at: shape.stages[Topology.maxStages].location,
            "too many stages; found \(topology.stages.count), expected at most \(Topology.maxStages)"
        )
    }

    /// Reports sources beside an app's source, because its store and sinks would hold exchanges that
    /// the app never sent, and an app's source that no app runs.
    private func checkSources(into diagnostics: inout Diagnostics) {
        let sources = Array(zip(shape.sources, topology.sources))
        guard let app = sources.firstIndex(where: { $0.1.source.isWithinApp }) else { return }
        guard purpose != .run, purpose != .namespace else {
            diagnostics.error(
                at: sources[app].0.location,
                "'\(sources[app].0.plugin)' captures within a Swift app; the command cannot run it",
                help: "call Tapline.start(configuration:) of the library 'Tapline' in the app; to "
                    + "capture from outside the app, use 'proxy'"
            )
            return
        }
        for (component, _) in sources[..<app] + sources[(app + 1)...] {
            diagnostics.error(
                at: component.location,
                "the pipeline of an app has exactly one source; found '\(component.id)' beside "
                    + "'\(sources[app].0.id)'",
                help: "remove it, or move it to a file of its own for 'tapline run'"
            )
        }
    }

    /// Reports two components that use the same file, port or stream.
    private func checkClaims(into diagnostics: inout Diagnostics) {
        var holders: [ResourceClaim: ComponentShape] = [:]
        let claims =
            zip(shape.sources, topology.sources.map(\.source.claims))
            .map { ($0, $1) }
            + zip(shape.sinks, topology.sinks.map(\.claims)).map { ($0, $1) }
        for (component, claims) in claims {
            for claim in claims {
                if claim == .standardInput, standardInputIsTaken {
                    diagnostics.error(
                        at: component.location,
                        "'\(component.id)' reads standard input, but this file was read from there"
                    )
                }
                if let holder = holders[claim] {
                    diagnostics.error(
                        at: component.location,
                        "'\(component.id)' and '\(holder.id)' both use \(claim.name)"
                    )
                } else {
                    holders[claim] = component
                }
            }
        }
    }

    /// Reports filters on fields that are not known yet when the stage's first hook runs.
    static func checkConditions(
        _ stages: [(ComponentShape, Topology.Stage)],
        into diagnostics: inout Diagnostics
    ) {
        for (component, stage) in stages {
            let hooks = stage.factory.hooks
            let isOnResponse = !hooks.isDisjoint(with: [.response, .message])
            let moment: FilterMoment =
                hooks.contains(.request) ? .request : isOnResponse ? .response : .end
            let buffered = stage.buffer.hooks
            guard
                let late = component.when?.field(
                    notKnownAt: moment,
                    bufferingRequest: buffered.contains(.request),
                    bufferingResponse: buffered.contains(.response)
                )
            else { continue }
            diagnostics.error(
                at: component.common.location(of: CommonKeys.when),
                "'\(late.name)' is not known when '\(component.id)' runs its first hook, on \(moment.name)",
                help: "use fields of the request, or a stage without that hook"
            )
        }
    }

    private func checkRedaction(into diagnostics: inout Diagnostics) {
        let stages = topology.stages
        guard let last = stages.lastIndex(where: { $0.factory.redacts }) else {
            for (component, stage) in zip(shape.stages, stages)
            where stage.factory.seesOnlyRedacted {
                diagnostics.warning(
                    at: component.location,
                    "no stage redacts before '\(component.id)', which sees secrets as they are",
                    help: "put the stage 'redact' before it"
                )
            }
            let sinks = zip(shape.sinks, topology.sinks)
            guard let sink = sinks.first(where: { !$0.1.factory.staysInMemory }) else { return }
            diagnostics.warning(
                at: sink.0.location,
                "no stage redacts: secrets in the traffic reach the sinks as they are",
                help: "add the stage 'redact', in a file as '- redact: { preset: standard }'"
            )
            return
        }
        for (component, stage) in zip(shape.stages, stages).prefix(last)
        where stage.factory.cutsBodies {
            diagnostics.warning(
                at: component.location,
                "'\(component.id)' cuts bodies before '\(stages[last].id)' redacts them; a cut body is masked as a whole",
                help: "put it after the last 'redact'"
            )
        }
        for (component, stage) in zip(shape.stages, stages).prefix(last)
        where stage.factory.seesOnlyRedacted {
            diagnostics.error(
                at: component.location,
                "'\(component.id)' would see records before '\(stages[last].id)' redacts them",
                help: "put it after the last 'redact'"
            )
        }
        for (component, stage) in zip(shape.stages, stages).dropFirst(last + 1)
        where stage.factory.hooks.contains(.record) && !stage.factory.cutsBodies
            && !stage.factory.seesOnlyRedacted
        {
            diagnostics.warning(
                at: component.location,
                "'\(component.id)' changes records after the last redaction; what it adds is not redacted",
                help: "put it before '\(stages[last].id)'"
            )
        }
    }
}

extension FilterMoment {
    /// The name of the moment in messages.
    var name: String {
        switch self {
        case .request: "requests"
        case .response: "responses"
        case .end: "records"
        case .store: "stores"
        }
    }
}

extension ResourceClaim {
    /// The name of the claimed resource in messages.
    var name: String {
        switch self {
        case .standardInput: "standard input"
        case .standardOutput: "standard output"
        case .file(let path): "the file '\(path)'"
        case .port(let port): "the port \(port)"
        }
    }
}

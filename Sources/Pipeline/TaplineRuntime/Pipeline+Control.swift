// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineOperations
package import TaplinePlugin

extension Pipeline: PipelineControl {
    package var canSend: Bool { !senders.isEmpty }

    package func send(
        _ request: Request,
        replaying original: ExchangeID?,
        answered: @escaping @Sendable (Result<ExchangeID, ControlError>) -> Void
    ) {
        guard !isStopped else {
            return answered(.failure(ControlError("the pipeline is ending")))
        }
        guard canSend else {
            return answered(.failure(ControlError("no source of the pipeline can send requests")))
        }
        guard let sender = senders.first(reaching: request) else {
            let reason = "no source of the pipeline reaches the server of the request"
            return answered(.failure(ControlError(reason)))
        }
        sender.send(request, replaying: original, answered: answered)
    }

    package var ruleFiles: [(id: String, path: String)] {
        topology.stages.compactMap { stage in
            (stage.factory as? any RuleFileFactory).map { (stage.id, $0.ruleFile) }
        }
    }

    package func metrics(of id: String) -> [Metric] {
        topology.stages.first { $0.id == id }?.factory.metrics
            ?? topology.sources.first { $0.id == id }?.source.metrics
            ?? topology.sinks.first { $0.id == id }?.factory.metrics ?? []
    }

    /// The files that the running components have read.
    package var configurationFiles: [String] { topology.configurationFiles }

    package var protectedPaths: [String] { topology.protectedPaths }
}

extension Topology {
    /// The databases that sinks write, each with the id of the sink, in the order of the file.
    package var stores: [(id: String, path: String)] {
        sinks.compactMap { sink in
            (sink.factory as? any StoreSinkFactory).map { (sink.id, $0.storePath) }
        }
    }

    /// Whether a sink writes a file.
    package func writes(_ path: String) -> Bool {
        sinks.contains { $0.factory.claims.contains(.file(path)) }
    }
}

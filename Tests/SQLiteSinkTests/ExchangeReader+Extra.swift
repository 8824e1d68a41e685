// SPDX-License-Identifier: MIT

import TaplineModel

extension JSONTree {
    /// Reads the parts that few exchanges have.
    func readRare(_ key: String, into exchange: inout Exchange) {
        var extra = exchange.extra ?? ExchangeExtra()
        switch key {
        case "provenance":
            extra.provenance = elements.map(\.step)
        case "replay":
            extra.replay = ExchangeID(self["of"].text).map {
                ReplayFacts(of: $0, due: self["due_at"].moment, sent: self["sent_at"].moment)
            }
        case "stream":
            extra.stream = StreamLegs(client: self["client"].leg, server: self["server"].leg)
        default:
            extra.grpc = GRPCFacts(
                service: self["service"].text,
                method: self["method"].text,
                status: self["status"].integer,
                message: self["message"].text
            )
        }
        exchange.extra = extra
    }

    private subscript(name: String) -> JSONTree {
        members.first { $0.key == name }?.value ?? .null
    }

    private var step: ProvenanceStep {
        ProvenanceStep(
            stage: self["stage"].text,
            hook: self["hook"].text,
            verdict: self["verdict"].text,
            decision: self["decision"].text,
            skipped: self["skipped"].text,
            at: self["at_ms"].double.flatMap { Microseconds(milliseconds: $0) },
            duration: self["took_ms"].double.flatMap { Microseconds(milliseconds: $0) },
            waited: self["waited_ms"].double.flatMap { Microseconds(milliseconds: $0) },
            changes: self["changes"].elements.map { change in
                ProvenanceChange(
                    part: change["part"].text,
                    name: change["name"].text,
                    kind: change["kind"].text,
                    before: change["before"].double.map { Int($0) },
                    after: change["after"].double.map { Int($0) }
                )
            },
            details: self["details"].elements.map { detail in
                ProvenanceDetail(name: detail["name"].text, value: detail["value"].text)
            }
        )
    }

    private var leg: StreamLegs.Leg {
        StreamLegs.Leg(id: self["id"].integer, version: self["version"].text)
    }

    private var moment: Timestamp? {
        let bytes = string
        return Timestamp(rfc3339: bytes.span)
    }
}

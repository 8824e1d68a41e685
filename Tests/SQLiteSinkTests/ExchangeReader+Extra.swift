// SPDX-License-Identifier: MIT

import TaplineModel

extension JSONTree {
    /// Reads the parts that few exchanges have.
    func readRare(_ key: String, into exchange: inout Exchange) {
        var extra = exchange.extra ?? ExchangeExtra()
        switch key {
        case "provenance":
            extra.provenance = elements.map { element in
                ProvenanceChange(
                    stage: element["stage"].text,
                    hook: element["hook"].text,
                    what: element["what"].text,
                    at: element["at_ms"].double.flatMap { Microseconds(milliseconds: $0) }
                )
            }
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

    private var leg: StreamLegs.Leg {
        StreamLegs.Leg(id: self["id"].integer, version: self["version"].text)
    }

    private var moment: Timestamp? {
        let bytes = string
        return Timestamp(rfc3339: bytes.span)
    }
}

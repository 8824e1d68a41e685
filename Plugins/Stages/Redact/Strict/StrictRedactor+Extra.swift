// SPDX-License-Identifier: MIT

internal import TaplineModel

extension StrictRedactor {
    /// Redacts what few exchanges have: each text loses the words that are not known.
    mutating func redactExtra(of exchange: inout Exchange) {
        guard var extra = exchange.extra else { return }
        for position in extra.provenance.indices {
            redact(&extra.provenance[position].stage)
            redact(&extra.provenance[position].hook)
            redact(&extra.provenance[position].what)
        }
        for position in extra.notes.indices {
            redact(&extra.notes[position].text)
            redact(&extra.notes[position].author)
            redact(&extra.notes[position].mark)
        }
        if var stream = extra.stream {
            if var leg = stream.client {
                redact(version: &leg.version)
                stream.client = leg
            }
            if var leg = stream.server {
                redact(version: &leg.version)
                stream.server = leg
            }
            extra.stream = stream
        }
        if var grpc = extra.grpc {
            redact(&grpc.service)
            redact(&grpc.method)
            redact(&grpc.message)
            extra.grpc = grpc
        }
        exchange.extra = extra
    }

    private mutating func redact(_ text: inout String) { text = self.text(text) }

    private mutating func redact(version: inout String) {
        version = known(ByteString(version)) { $0.words.isValue($1) }.description
    }
}

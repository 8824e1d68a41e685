// SPDX-License-Identifier: MIT

internal import TaplineModel

// The numbers of the fields are those of opentelemetry-proto 1.9: `trace.proto`, `logs.proto`,
// `common.proto`, `resource.proto` and the requests in `collector`.
extension ProtobufWriter {
    /// Writes a span as a field of `ScopeSpans`.
    mutating func span(_ span: OTLPSpan) {
        message(2) { writer in
            writer.bytes(1, span.trace.bytes)
            writer.bytes(2, span.id.bigEndianBytes)
            writer.string(3, span.traceState)
            if let parent = span.parent { writer.bytes(4, parent.bigEndianBytes) }
            writer.string(5, span.name)
            writer.number(6, span.kind.rawValue)
            writer.fixed64(7, span.start)
            writer.fixed64(8, span.end)
            writer.attributes(9, span.attributes)
            for event in span.events {
                writer.message(11) { writer in
                    writer.fixed64(1, event.time)
                    writer.string(2, event.name)
                    writer.attributes(3, event.attributes)
                }
            }
            writer.number(12, UInt64(span.droppedEvents))
            if span.isError {
                writer.message(15) { writer in
                    writer.string(2, span.errorMessage)
                    writer.number(3, 2)
                }
            }
            writer.fixed32(16, UInt32(span.flags))
        }
    }

    /// Writes a log record as a field of `ScopeLogs`.
    mutating func log(_ span: OTLPSpan) {
        message(2) { writer in
            writer.fixed64(1, span.end)
            writer.number(2, span.severity.number)
            writer.string(3, span.severity.text)
            writer.message(5) { $0.chosenString(1, span.summary) }
            writer.attributes(6, span.attributes)
            writer.fixed32(8, UInt32(span.flags))
            writer.bytes(9, span.trace.bytes)
            writer.bytes(10, span.id.bigEndianBytes)
            writer.fixed64(11, span.end)
        }
    }

    /// Writes a request, which has the same fields for all signals: one resource with one scope.
    mutating func request(_ resource: OTLPResource, items: [UInt8]) {
        message(1) { writer in
            writer.message(1) { $0.attributes(1, resource.attributes) }
            writer.message(2) { writer in
                writer.message(1) { writer in
                    writer.string(1, resource.scope)
                    writer.string(2, resource.version)
                }
                writer.raw(items)
                writer.string(3, OTLPResource.schema)
            }
        }
    }

    mutating func attributes(_ field: UInt64, _ attributes: [OTLPAttribute]) {
        for attribute in attributes {
            message(field) { writer in
                writer.string(1, attribute.name)
                writer.message(2) { $0.value(attribute.value) }
            }
        }
    }

    private mutating func value(_ value: OTLPAttribute.Value) {
        switch value {
        case .string(let text): chosenString(1, text)
        case .integer(let number): chosenInteger(3, number)
        case .strings(let texts):
            message(5) { writer in
                for text in texts { writer.message(1) { $0.chosenString(1, text) } }
            }
        }
    }
}

extension UInt64 {
    /// The eight bytes of an id.
    var bigEndianBytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) }
    }
}

extension TraceID {
    /// The 16 bytes.
    var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

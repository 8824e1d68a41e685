// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

// The JSON form of OTLP: names in lowerCamelCase, ids in hexadecimal digits, numbers of 64 bits as
// text, choices as numbers.
//
// Source: OTLP specification, "JSON Protobuf Encoding".
extension JSONWriter {
    /// Writes a span.
    mutating func span(_ span: OTLPSpan) {
        beginObject()
        member("traceId", hex(span.trace.bytes))
        member("spanId", hex(span.id.bigEndianBytes))
        if !span.traceState.isEmpty { member("traceState", span.traceState) }
        if let parent = span.parent { member("parentSpanId", hex(parent.bigEndianBytes)) }
        member("flags", Int(span.flags))
        member("name", span.name)
        member("kind", Int64(span.kind.rawValue))
        member("startTimeUnixNano", "\(span.start)")
        member("endTimeUnixNano", "\(span.end)")
        attributes(span.attributes)
        if !span.events.isEmpty {
            key("events")
            array { json in
                for event in span.events {
                    json.object { json in
                        json.member("timeUnixNano", "\(event.time)")
                        json.member("name", event.name)
                        json.attributes(event.attributes)
                    }
                }
            }
        }
        if span.droppedEvents > 0 { member("droppedEventsCount", span.droppedEvents) }
        if span.isError {
            key("status")
            object { json in
                if !span.errorMessage.isEmpty { json.member("message", span.errorMessage) }
                json.member("code", 2)
            }
        }
        endObject()
    }

    /// Writes a log record.
    mutating func log(_ span: OTLPSpan) {
        object { json in
            json.member("timeUnixNano", "\(span.end)")
            json.member("observedTimeUnixNano", "\(span.end)")
            json.member("severityNumber", Int64(span.severity.number))
            json.member("severityText", span.severity.text)
            json.key("body")
            json.object { $0.member("stringValue", span.summary) }
            json.attributes(span.attributes)
            json.member("flags", Int(span.flags))
            json.member("traceId", json.hex(span.trace.bytes))
            json.member("spanId", json.hex(span.id.bigEndianBytes))
        }
    }

    /// Writes a request: one resource with one scope, whose items are already encoded.
    mutating func request(
        _ resource: OTLPResource,
        _ names: (resource: StaticString, scope: StaticString, items: StaticString),
        items: [UInt8]
    ) {
        object { json in
            json.key(names.resource)
            json.array { json in
                json.object { json in
                    json.key("resource")
                    json.object { $0.attributes(resource.attributes) }
                    json.key(names.scope)
                    json.array { json in
                        json.object { json in
                            json.key("scope")
                            json.object { json in
                                json.member("name", resource.scope)
                                json.member("version", resource.version)
                            }
                            json.key(names.items)
                            json.raw(items.span)
                            json.member("schemaUrl", OTLPResource.schema)
                        }
                    }
                }
            }
        }
    }

    mutating func attributes(_ attributes: [OTLPAttribute]) {
        key("attributes")
        array { json in
            for attribute in attributes {
                json.object { json in
                    json.member("key", attribute.name)
                    json.key("value")
                    json.object { $0.value(attribute.value) }
                }
            }
        }
    }

    private mutating func value(_ value: OTLPAttribute.Value) {
        switch value {
        case .string(let text): member("stringValue", text)
        case .integer(let number): member("intValue", "\(number)")
        case .strings(let texts):
            key("arrayValue")
            object { json in
                json.key("values")
                json.array { json in
                    for text in texts { json.object { $0.member("stringValue", text) } }
                }
            }
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            for half in [byte >> 4, byte & 0xF] {
                digits.append(half < 10 ? 0x30 + half : 0x57 + half)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

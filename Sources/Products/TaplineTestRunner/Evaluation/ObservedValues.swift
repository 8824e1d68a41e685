// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineRuntime

/// The outcome of an exchange, whose values are looked up by path.
struct ObservedValues {
    let outcome: StageRunOutcome

    /// The record; `nil` if it was dropped.
    var record: Exchange? {
        guard case .kept(let exchange) = outcome.disposition else { return nil }
        return exchange
    }

    /// Why there is no record, for messages.
    var noRecord: String {
        switch outcome.disposition {
        case .kept: ""
        case .dropped(let stage, let reason):
            "there is no record: '\(stage)' dropped it" + (reason.isEmpty ? "" : " (\(reason))")
        case .failed(let stage, _):
            "there is no record: a hook of '\(stage)' failed"
        }
    }

    /// Returns the value at a path.
    subscript(path: ValuePath) -> ObservedValue {
        switch path.side {
        case .server:
            if outcome.isAnswered {
                return .unknown("a stage answered, so the server receives no request")
            }
            if outcome.isAborted { return .unknown("the connection was closed") }
            return outcome.request.observed(path)
        case .client:
            if outcome.isAborted { return .unknown("the connection was closed") }
            guard let response = outcome.response else { return .unknown("there is no response") }
            return response.observed(path)
        case .request:
            guard let record else { return .unknown(noRecord) }
            return record.request.observed(path)
        case .response:
            guard let record else { return .unknown(noRecord) }
            guard let response = record.response else { return .unknown("there is no response") }
            return response.observed(path)
        case .record:
            guard let record else { return .unknown(noRecord) }
            return record.observed(path)
        }
    }
}

// MARK: - The fields

extension Request {
    fileprivate func observed(_ path: ValuePath) -> ObservedValue {
        switch path.field.name {
        case "method": ObservedValue(method.description)
        case "url": ObservedValue(url.description)
        case "scheme": ObservedValue(scheme.description)
        case "host": ObservedValue(host.description)
        case "port": ObservedValue(port)
        case "path": ObservedValue(ByteString(target.span.extracting(pathRange)).description)
        case "target": ObservedValue(target.description)
        case "query": items(target.span.extracting(queryRange)).observed(path.name)
        case "form":
            body.decoded.map { items($0.span).observed(path.name) } ?? .unknown(Body.damaged)
        case "version": ObservedValue(version.description)
        case "headers": fields.observed(path.name)
        case "trailers": trailers.observed(path.name)
        default: body.observed(path)
        }
    }

    private func items(_ bytes: Span<UInt8>) -> [(name: String, value: String)] {
        var list: [(name: String, value: String)] = []
        var items = QueryItems(0..<bytes.count)
        while let item = items.next(in: bytes) {
            let name = PercentEncoding.decode(bytes.extracting(item.name), plusIsSpace: true)
            let value = PercentEncoding.decode(bytes.extracting(item.value), plusIsSpace: true)
            if name.isEmpty, value.isEmpty { continue }
            list.append(
                (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
            )
        }
        return list
    }
}

extension Response {
    fileprivate func observed(_ path: ValuePath) -> ObservedValue {
        switch path.field.name {
        case "status": ObservedValue(status)
        case "reason": ObservedValue(reason.description)
        case "version": ObservedValue(version.description)
        case "headers": fields.observed(path.name)
        case "trailers": trailers.observed(path.name)
        default: body.observed(path)
        }
    }
}

extension Exchange {
    fileprivate func observed(_ path: ValuePath) -> ObservedValue {
        switch path.field.name {
        case "tags": return tags.map { (name: $0.name, value: $0.value) }.observed(path.name)
        case "state": return ObservedValue(state.name)
        case "source": return ObservedValue(source)
        case "id": return ObservedValue(id.description)
        case "started": return ObservedValue(started.rfc3339)
        case "error":
            guard let error else { return .absent(nil) }
            let value = TestValue.object([
                ("code", .text(error.code)), ("message", .text(error.message)),
            ])
            return ObservedValue.value(value).following(path.steps)
        case "original": return ObservedValue.value(original.value).following(path.steps)
        default: return ObservedValue.value(.list(messages.map(\.value))).following(path.steps)
        }
    }
}

extension Original {
    fileprivate var value: TestValue {
        var pairs: [(key: String, value: TestValue)] = []
        if let method { pairs.append(("method", .text(method.description))) }
        if let url { pairs.append(("url", .text(url.description))) }
        if let status { pairs.append(("status", .number(String(status)))) }
        return .object(pairs)
    }
}

extension StreamMessage {
    fileprivate var value: TestValue {
        var pairs: [(key: String, value: TestValue)] = [
            ("dir", .text(direction == .up ? "up" : "down")), ("type", .text(type)),
            ("text", .text(String(decoding: bytes, as: UTF8.self))),
        ]
        if let json = TestValue(json: bytes.span) { pairs.append(("json", json)) }
        return .object(pairs)
    }
}

extension Body {
    fileprivate static let damaged = "the body cannot be decoded"

    /// The bytes without their content codings; `nil` if they are damaged or truncated.
    fileprivate var decoded: [UInt8]? {
        if coding.isEmpty { return bytes }
        return try? ContentCoding.decode(
            bytes.span,
            codings: ContentCoding.list(coding.span),
            limits: DecodingLimits(maxOutputBytes: 64 << 20)
        )
    }

    fileprivate func observed(_ path: ValuePath) -> ObservedValue {
        switch path.field.name {
        case "size": return ObservedValue(size)
        case "truncated": return ObservedValue(String(isTruncated))
        case "coding": return ObservedValue(coding.description)
        case "body":
            guard let decoded else { return .unknown(Body.damaged) }
            return ObservedValue(String(decoding: decoded, as: UTF8.self))
        default:
            guard let decoded else { return .unknown(Body.damaged) }
            if decoded.isEmpty { return .absent("the body is empty") }
            guard let value = TestValue(json: decoded.span) else {
                return .unknown("the body is not JSON")
            }
            return ObservedValue.value(value).following(path.steps)
        }
    }
}

extension FieldSection {
    /// Returns the values of a name, or all fields with their names in lower case.
    fileprivate func observed(_ name: String?) -> ObservedValue {
        if let name { return ObservedValue(texts: all(name).map(\.description)) }
        return ObservedValue(
            pairs: indices.map {
                (
                    String(decoding: Array(copying: self.name(at: $0)), as: UTF8.self).lowercased(),
                    String(decoding: Array(copying: value(at: $0)), as: UTF8.self)
                )
            }
        )
    }
}

extension [(name: String, value: String)] {
    /// Returns the values of a name, or all of them.
    fileprivate func observed(_ name: String?) -> ObservedValue {
        guard let name else { return ObservedValue(pairs: self) }
        return ObservedValue(texts: filter { $0.name == name }.map(\.value))
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Lines in JSON, whose keys have common names.
extension LoggedRequest {
    /// Reads an object.
    ///
    /// - Returns: What it states, and how many keys have no place in an exchange.
    static func parsed(_ root: JSONValue) -> (entry: LoggedRequest, unknown: Int) {
        var entry = LoggedRequest()
        var rest = Rest()
        var members = root.members
        while let member = members.next() {
            let key = ByteString(member.key.bytes).description
            guard let meaning = LogKeys.meaning(of: key) else {
                rest.unknown += 1
                continue
            }
            let value = member.value
            if value.isNull || value.bytes.isEmpty || value.matches("-") { continue }
            guard value.kind == .string || value.kind == .number else {
                rest.unknown += 1
                continue
            }
            if !entry.set(meaning, value, &rest) { rest.unknown += 1 }
        }
        entry.complete(rest)
        return (entry, rest.unknown)
    }

    /// Parts that depend on others.
    private struct Rest {
        var query = ByteString()
        var clientPort = ""
        var unknown = 0
    }

    /// Sets what a key means; returns `false` if the value is malformed.
    private mutating func set(
        _ meaning: LogKeys.Meaning,
        _ value: JSONValue,
        _ rest: inout Rest
    ) -> Bool {
        let text = ByteString(value.bytes)
        switch meaning {
        case .time:
            guard let found = Timestamp(logged: text) else { return false }
            time = found
        case .method: method = text
        case .target: target = text
        case .line: setLine(text.span)
        case .query: rest.query = text
        case .version: version = text
        case .scheme: scheme = text
        case .host: if authority.isEmpty { authority = text }
        case .status:
            guard let number = text.span.decimal, number <= 999 else { return false }
            status = number
        case .size:
            guard let number = text.span.decimal, number <= 1 << 50 else { return false }
            size = number
        case .client: client = text.description
        case .clientPort: rest.clientPort = text.description
        case .user: user = text.description
        case .field(let name): add(name, text.span)
        case .nginxSeconds:
            isTimeOfEnd = true
            return setDuration(text, scale: 1000)
        case .milliseconds: return setDuration(text, scale: 1)
        case .microseconds: return setDuration(text, scale: 0.001)
        }
        return true
    }

    private mutating func setDuration(_ text: ByteString, scale: Double) -> Bool {
        guard let number = Double(text.description), number >= 0,
            let length = Microseconds(milliseconds: number * scale)
        else { return false }
        duration = length
        return true
    }

    private mutating func complete(_ rest: Rest) {
        let query = rest.query.span
        if !target.isEmpty, !query.isEmpty, target.span.firstIndex(of: .ascii("?")) == nil {
            var bytes = Array(copying: target.span)
            if query[0] != .ascii("?") { bytes.append(.ascii("?")) }
            bytes.append(copying: query)
            target = ByteString(bytes)
        }
        if !client.isEmpty, Int(rest.clientPort) != nil, !client.contains("]:") {
            client =
                client.contains(":")
                ? "[\(client)]:\(rest.clientPort)" : "\(client):\(rest.clientPort)"
        }
    }
}

extension Timestamp {
    /// Parses the time of a log: RFC 3339, that of `combined`, or a number since 1970 in seconds,
    /// milliseconds, microseconds or nanoseconds, distinguished by magnitude.
    fileprivate init?(logged text: ByteString) {
        let bytes = text.span
        if let time = Timestamp(rfc3339: bytes) ?? Timestamp(accessLog: bytes) {
            self = time
            return
        }
        // A zone without a colon, as strftime(3) writes it.
        let sign = bytes.count >= 24 ? bytes[bytes.count - 5] : 0
        if sign == .ascii("+") || sign == .ascii("-") {
            var zoned = Array(copying: bytes)
            zoned.insert(.ascii(":"), at: zoned.count - 2)
            guard let time = Timestamp(rfc3339: zoned.span) else { return nil }
            self = time
            return
        }
        guard bytes.count <= 24, let number = Double(text.description) else { return nil }
        switch number {
        case 1e8..<1e11: self.init(microseconds: Int64((number * 1e6).rounded()))
        case 1e11..<1e14: self.init(microseconds: Int64((number * 1e3).rounded()))
        case 1e14..<1e17: self.init(microseconds: Int64(number.rounded()))
        case 1e17..<9e18: self.init(microseconds: Int64((number / 1e3).rounded()))
        default: return nil
        }
    }
}

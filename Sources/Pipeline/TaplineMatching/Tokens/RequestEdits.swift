// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel

/// Replacements of values in a request; all other bytes stay as they are.
struct RequestEdits {
    private var edits: [RequestValue.Part: [ByteEdit]] = [:]
    /// The values that are done, whether they change or not.
    private var done: [RequestValue.Part: [Range<Int>]] = [:]

    /// Whether there is nothing to replace.
    var isEmpty: Bool { edits.isEmpty }

    /// Returns whether a value overlaps one that is done.
    func contains(_ value: RequestValue) -> Bool {
        done[value.part]?.contains { $0.overlaps(value.range) } ?? false
    }

    /// Replaces a value, in the notation of its part.
    ///
    /// - Returns: Whether the notation can express the new value.
    mutating func replace(_ value: RequestValue, with bytes: [UInt8]) -> Bool {
        if bytes != value.bytes {
            guard let written = Self.written(bytes, value) else { return false }
            edits[value.part, default: []].append(ByteEdit(range: value.range, bytes: written))
        }
        done[value.part, default: []].append(value.range)
        return true
    }

    /// Marks a value as done that stays as it is.
    mutating func leave(_ value: RequestValue) {
        done[value.part, default: []].append(value.range)
    }

    private static func written(_ bytes: [UInt8], _ value: RequestValue) -> [UInt8]? {
        switch value.notation {
        case .percent: return PercentEncoding.encode(bytes.span)
        case .plain:
            // A line end would begin another field (RFC 9110 §5.5), a semicolon another cookie.
            var isCookie = false
            if case .cookie = value.place.part { isCookie = true }
            let isAllowed = bytes.allSatisfy { byte in
                byte >= 0x20 && byte != 0x7F && !(isCookie && byte == .ascii(";"))
            }
            return isAllowed ? bytes : nil
        case .string: return string(bytes).map { Array($0.dropFirst().dropLast()) }
        case .number: return number(bytes)
        }
    }

    /// A string of JSON with these bytes; `nil` if they are not UTF-8.
    static func string(_ bytes: [UInt8]) -> [UInt8]? {
        var writer = JSONWriter(capacity: bytes.count + 64)
        guard writer.string(ifValid: bytes.span) else { return nil }
        return Array(copying: writer.bytes)
    }

    /// The bytes as they are if they are a number of JSON, otherwise a string of JSON.
    static func number(_ bytes: [UInt8]) -> [UInt8]? {
        isNumber(bytes) ? bytes : string(bytes)
    }

    private static func isNumber(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first.isDigit || first == .ascii("-") else { return false }
        var parser = JSONParser(maxDepth: 1)
        guard let document = try? parser.parse(bytes.span) else { return false }
        return document.root.kind == .number && document.root.bytes.count == bytes.count
    }

    // MARK: Carrying out

    /// Carries out the replacements.
    ///
    /// - Parameters:
    ///   - request: The request from which the values were read.
    ///   - body: Its decoded body.
    /// - Returns: Whether the body could be coded again; if not, it stays as it was.
    func apply(to request: inout Request, body: [UInt8]?) -> Bool {
        var isComplete = true
        for (part, edits) in edits {
            switch part {
            case .target:
                let target = Array(copying: request.target.span)
                request.target = ByteString(ByteEdit.apply(edits, to: target))
            case .field(let position):
                let value = Array(copying: request.fields.value(at: position))
                let changed = ByteEdit.apply(edits, to: value)
                request.fields.replaceValue(at: position, with: changed.span)
            case .body:
                guard let body,
                    let coded = Self.coded(ByteEdit.apply(edits, to: body), request.body.coding)
                else {
                    isComplete = false
                    continue
                }
                request.body.bytes = coded
                request.body.size = coded.count
                request.body.decodedSize = nil
            }
        }
        if edits[.body] != nil, isComplete, request.fields.contains("Content-Length") {
            request.fields.set("Content-Length", to: String(request.body.bytes.count))
        }
        return isComplete
    }

    /// Returns a message with the replacements.
    func applied(to message: [UInt8]) -> [UInt8] {
        edits[.body].map { ByteEdit.apply($0, to: message) } ?? message
    }

    private static func coded(_ bytes: [UInt8], _ coding: ByteString) -> [UInt8]? {
        var result = bytes
        for coding in ContentCoding.list(coding.span) {
            guard let coded = try? coding.encode(result.span) else { return nil }
            result = coded
        }
        return result
    }
}

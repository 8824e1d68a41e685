// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Compares two exchanges: how they ended, status, chosen fields, body and messages.
struct ExchangeComparison: ~Copyable {
    private var bodies = BodyComparison()
    private var recordedParser = JSONParser(maxDepth: 512, surrogates: .replace)
    private var foundParser = JSONParser(maxDepth: 512, surrogates: .replace)
    /// The names of the fields that are compared.
    private let fields: [String]

    init(_ options: ComparisonOptions) {
        fields = options.fields
        bodies.protobuf = ProtobufContent(options.schema)
    }

    /// Adds the differences of two exchanges to a list.
    ///
    /// Fields and bodies are not compared if the statuses have different classes, since an error
    /// has another form than a result.
    ///
    /// - Parameters:
    ///   - recorded: The recorded exchange.
    ///   - found: The one that is compared with it.
    ///   - target: The target of the request as it was captured, which names the method of a call;
    ///     a redacted target may not.
    ///   - rules: How arrays are compared.
    ///   - list: Gets the differences.
    /// - Returns: Whether everything is known and was compared.
    mutating func compare(
        _ recorded: Exchange,
        _ found: Exchange,
        for target: ByteString,
        by rules: ArrayRules,
        into list: inout DifferenceList
    ) -> Bool {
        guard let left = recorded.response, let right = found.response else {
            let (first, second) = (Self.outcome(recorded), Self.outcome(found))
            if first != second { Self.note("outcome", .note, first, second, &list) }
            return true
        }
        if recorded.state != found.state {
            Self.note("outcome", .note, Self.outcome(recorded), Self.outcome(found), &list)
        }
        if left.status != right.status {
            Self.note("status", .number, "\(left.status)", "\(right.status)", &list)
            if left.status / 100 != right.status / 100 { return true }
        }
        if let first = GRPCCall.status(recorded) {
            let second = GRPCCall.status(found) ?? "none"
            let path = DifferencePath("grpc", name: "status")
            if first != second { Self.note(path, .note, first, second, &list) }
        }
        for name in fields { compareField(name, recorded, left, found, right, &list) }
        bodies.protobuf.target = target
        // The messages of a call are decompressed, other than those in its body.
        let areCalls =
            recorded.messages.contains(where: \.isOfCall)
            && found.messages.contains(where: \.isOfCall)
        let isWhole =
            areCalls
            || bodies.compare(
                left.body,
                left.contentType,
                right.body,
                right.contentType,
                by: rules,
                into: &list
            )
        guard !recorded.messages.isEmpty || !found.messages.isEmpty else { return isWhole }
        // Some sources keep an event stream or a call as its body alone, which was compared already.
        let isInBodies =
            recorded.messages.isEmpty != found.messages.isEmpty
            && (recorded.messages + found.messages).allSatisfy { $0.isEvent || $0.isOfCall }
            && !left.body.bytes.isEmpty && !right.body.bytes.isEmpty
        if isInBodies { return isWhole }
        let areWhole = compareMessages(
            recorded.messages,
            found.messages,
            as: (left.contentType, right.contentType),
            by: rules,
            into: &list
        )
        return areWhole && isWhole
    }

    /// How an exchange ended, for people.
    private static func outcome(_ exchange: Exchange) -> String {
        if exchange.state == .completed, let response = exchange.response {
            return "status \(response.status)"
        }
        let code = exchange.error?.code ?? ""
        return code.isEmpty ? exchange.state.name : "\(exchange.state.name): \(code)"
    }

    private static func note(
        _ part: String,
        _ kind: ComparedValue.Kind,
        _ recorded: String,
        _ found: String,
        _ list: inout DifferenceList
    ) {
        note(DifferencePath(root: part), kind, recorded, found, &list)
    }

    private static func note(
        _ path: DifferencePath,
        _ kind: ComparedValue.Kind,
        _ recorded: String,
        _ found: String,
        _ list: inout DifferenceList
    ) {
        list.append(
            FoundDifference(path, ComparedValue(kind, recorded), ComparedValue(kind, found))
        )
    }

    // MARK: Fields

    private func compareField(
        _ name: String,
        _ recorded: Exchange,
        _ left: Response,
        _ found: Exchange,
        _ right: Response,
        _ list: inout DifferenceList
    ) {
        let (first, second) = (left.fields.firstIndex(of: name), right.fields.firstIndex(of: name))
        if first == nil, second == nil { return }
        if let first, let second,
            left.fields.value(at: first).equals(right.fields.value(at: second)),
            left.fields.firstIndex(of: name, from: first + 1) == nil,
            right.fields.firstIndex(of: name, from: second + 1) == nil
        {
            return
        }
        let mine = Self.value(of: name, left, recorded.request)
        let theirs = Self.value(of: name, right, found.request)
        guard mine != theirs else { return }
        list.append(
            FoundDifference(
                DifferencePath("header", name: name),
                mine.map { ComparedValue(.string, $0) } ?? .absent,
                theirs.map { ComparedValue(.string, $0) } ?? .absent
            )
        )
    }

    /// Returns the values of a field without what does not matter: the case and the blanks of
    /// Content-Type, and the origin of a Location on the same server.
    private static func value(
        of name: String,
        _ response: Response,
        _ request: Request
    ) -> String? {
        let values = response.fields.all(name)
        guard !values.isEmpty else { return nil }
        let text = values.map(\.description).joined(separator: ", ")
        switch name {
        case "content-type":
            return text.lowercased().filter { $0 != " " }
        case "location":
            let origin = "\(request.scheme)://\(request.authority)"
            return text.hasPrefix(origin + "/") ? String(text.dropFirst(origin.count)) : text
        default:
            return text
        }
    }

    // MARK: Messages

    /// Compares WebSocket messages, events and messages of gRPC calls that the server sent, by
    /// position.
    private mutating func compareMessages(
        _ recorded: [StreamMessage],
        _ found: [StreamMessage],
        as types: (ByteString, ByteString),
        by rules: ArrayRules,
        into list: inout DifferenceList
    ) -> Bool {
        func sent(_ messages: [StreamMessage]) -> [StreamMessage] {
            messages.filter { $0.direction == .down && ($0.isData || $0.isEvent || $0.isOfCall) }
        }
        let (left, right) = (sent(recorded), sent(found))
        var isWhole = true
        for index in 0..<max(left.count, right.count) {
            var path = DifferencePath(root: "messages")
            path.push(index: index)
            guard index < left.count, index < right.count else {
                list.append(
                    FoundDifference(
                        path,
                        index < left.count ? ComparedValue(left[index]) : .absent,
                        index < right.count ? ComparedValue(right[index]) : .absent
                    )
                )
                continue
            }
            if left[index].isTruncated || right[index].isTruncated { isWhole = false }
            compare(left[index], right[index], as: types, at: path, by: rules, into: &list)
        }
        return isWhole
    }

    private mutating func compare(
        _ recorded: StreamMessage,
        _ found: StreamMessage,
        as types: (ByteString, ByteString),
        at path: DifferencePath,
        by rules: ArrayRules,
        into list: inout DifferenceList
    ) {
        if recorded.bytes.span.equals(found.bytes.span), recorded.event == found.event { return }
        let isCall = recorded.isOfCall && found.isOfCall
        let isJSON = JSONComparison.compare(
            &recordedParser,
            (isCall ? bodies.protobuf.json(recorded.bytes, as: types.0) : nil) ?? recorded.bytes,
            &foundParser,
            (isCall ? bodies.protobuf.json(found.bytes, as: types.1) : nil) ?? found.bytes,
            at: path,
            by: rules,
            into: &list
        )
        if !isJSON {
            list.append(FoundDifference(path, ComparedValue(recorded), ComparedValue(found)))
        }
    }
}

extension StreamMessage {
    /// Whether this is a message of a gRPC call.
    fileprivate var isOfCall: Bool { type == "grpc" }
}

extension ComparedValue {
    fileprivate init(_ message: StreamMessage) {
        self.init(message.type == "binary" ? .note : .string, message.bytes.span)
    }
}

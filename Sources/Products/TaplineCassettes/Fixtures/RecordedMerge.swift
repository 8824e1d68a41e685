// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineMatching
internal import TaplineModel

/// Merges a new recording into a previous one, so that unchanged parts of the file stay unchanged.
enum RecordedMerge {
    /// Identifies the recordings that keep their positions: by all parts of a request, in the form
    /// that a replay compares.
    private struct Key: Hashable {
        let words: [String]
        let query: RequestParts.Items
        let content: MessageContent

        init(_ exchange: Exchange, _ ignored: Set<String>) {
            let parts = RequestParts(exchange.request)
            words = [parts.method, parts.scheme, parts.host, parts.port, parts.path]
            query = parts.query.filter { !ignored.contains($0.key) }
            content = parts.content
        }
    }

    /// Returns the new recordings, each at the position of the previous recording of the same
    /// request; new requests follow the request that preceded them.
    ///
    /// A previous recording is kept if the new one has the same content: a replay would not tell
    /// the requests apart, and the responses differ at most in the notation of JSON or of a form.
    ///
    /// - Parameters:
    ///   - new: The new recordings.
    ///   - former: The previous recordings.
    ///   - ignored: The query items that a replay ignores.
    /// - Returns: The recordings of the new file.
    static func merge(
        _ new: [Exchange],
        into former: [Exchange],
        ignoringQueryItems ignored: Set<String> = []
    ) -> [Exchange] {
        var places: [Key: [Int]] = [:]
        for (index, exchange) in former.enumerated().reversed() {
            places[Key(exchange, ignored), default: []].append(index)
        }
        var result: [(place: Double, exchange: Exchange)] = []
        var last = -1.0
        for (order, exchange) in new.enumerated() {
            var kept = exchange
            if let index = places[Key(exchange, ignored)]?.popLast() {
                last = Double(index)
                if isSame(former[index], exchange) { kept = former[index] }
            } else {
                // After the preceding recording, before the one that followed it.
                last = last.rounded(.down) + Double(order + 1) / Double(new.count + 1)
            }
            result.append((last, kept))
        }
        return numbered(result.sorted { $0.place < $1.place }.map(\.exchange))
    }

    /// Assigns ids that are derived from the request and from how often it occurred before.
    private static func numbered(_ exchanges: [Exchange]) -> [Exchange] {
        var counts: [[UInt8]: Int] = [:]
        return exchanges.map { exchange in
            var bytes = Array(copying: exchange.request.method.span)
            bytes.append(copying: exchange.request.url.span)
            bytes.append(contentsOf: exchange.request.body.bytes)
            let count = counts[bytes, default: 0]
            counts[bytes] = count + 1
            var copy = exchange
            copy.id = RecordID.derived(
                started: exchange.started,
                from: bytes.span,
                position: count
            )
            return copy
        }
    }

    private static func isSame(_ former: Exchange, _ new: Exchange) -> Bool {
        former.state == new.state && former.error?.message == new.error?.message
            && former.messages == new.messages && former.tags == new.tags
            && former.request.fields.withoutBoundary == new.request.fields.withoutBoundary
            && former.response?.status == new.response?.status
            && former.response.map(MessageContent.init) == new.response.map(MessageContent.init)
            && former.response?.fields.lasting == new.response?.fields.lasting
    }
}

extension FieldSection {
    /// The fields without those whose changes carry no information.
    fileprivate var lasting: FieldSection {
        var copy = self
        for name in ["date", "age", "expires"] { _ = copy.removeAll(name) }
        return copy
    }

    /// The fields without the boundary of a multipart body, which is random.
    fileprivate var withoutBoundary: FieldSection {
        guard let type = first("Content-Type"),
            type.mediaType.description.hasPrefix("multipart/")
        else { return self }
        var copy = self
        _ = copy.removeAll("Content-Type")
        copy.append(name: "Content-Type", value: "\(type.mediaType)")
        return copy
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Merges a new recording into a previous one, so that unchanged parts of the file stay unchanged.
enum RecordedMerge {
    /// Identifies the recordings that keep their positions.
    private struct Key: Hashable {
        let method: ByteString
        let url: ByteString
        let body: [UInt8]

        init(_ exchange: Exchange) {
            method = exchange.request.method
            url = exchange.request.url
            body = exchange.request.body.bytes
        }
    }

    /// Returns the new recordings, each at the position of the previous recording of the same
    /// request; new requests follow the request that preceded them.
    ///
    /// A previous recording is kept if the new one has the same content.
    static func merge(_ new: [Exchange], into former: [Exchange]) -> [Exchange] {
        var places: [Key: [Int]] = [:]
        for (index, exchange) in former.enumerated().reversed() {
            places[Key(exchange), default: []].append(index)
        }
        var result: [(place: Double, exchange: Exchange)] = []
        var last = -1.0
        for (order, exchange) in new.enumerated() {
            var kept = exchange
            if let index = places[Key(exchange)]?.popLast() {
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
        var counts: [Key: Int] = [:]
        return exchanges.map { exchange in
            let key = Key(exchange)
            let count = counts[key, default: 0]
            counts[key] = count + 1
            var bytes = Array(copying: key.method.span)
            bytes.append(copying: key.url.span)
            bytes.append(contentsOf: key.body)
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
            && former.request.fields == new.request.fields
            && former.response?.status == new.response?.status
            && former.response?.body.bytes == new.response?.body.bytes
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
}

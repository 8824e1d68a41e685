// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Puts a new recording in the place of a former one, so that only what has changed looks changed.
enum RecordedMerge {
    /// What tells recordings apart that are to keep their places.
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

    /// The new recordings, each where the former one of the same request stood, the others after
    /// those that came before them; former ones stay where the new ones say the same.
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
                // After what came before, ahead of what stood after that.
                last = last.rounded(.down) + Double(order + 1) / Double(new.count + 1)
            }
            result.append((last, kept))
        }
        return numbered(result.sorted { $0.place < $1.place }.map(\.exchange))
    }

    /// With ids that say which request it is, and how many of its kind came before.
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
    /// The fields without those that say nothing new when they change.
    fileprivate var lasting: FieldSection {
        var copy = self
        for name in ["date", "age", "expires"] { _ = copy.removeAll(name) }
        return copy
    }
}

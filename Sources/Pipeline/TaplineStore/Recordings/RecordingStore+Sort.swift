// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

extension RecordingStore {
    /// Returns the value by which the exchange at a key is sorted; `nil` if there is none.
    func value(at key: StoreKey, of field: FieldReference) throws -> SortValue? {
        var value: SortValue?
        try read { found, exchange in
            guard found.number == key.number, found.id == key.id else { return true }
            value = SortValue(exchange, of: field)
            return false
        }
        return value
    }
}

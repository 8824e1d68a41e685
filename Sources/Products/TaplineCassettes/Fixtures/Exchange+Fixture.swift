// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

extension Exchange {
    /// The exchange without values that differ from run to run even if the traffic is the same:
    /// times, addresses, byte counts, and notes that Tapline adds.
    var timeless: Exchange {
        var copy = Exchange(id: id, state: state, request: request, response: response)
        copy.messages = messages
        copy.error = error
        // A HAR reader recognizes a cancelled exchange only by this empty text.
        if state == .cancelled { copy.error?.message = "" }
        for tag in tags where !tag.name.hasPrefix("tapline.") { copy.tags[tag.name] = tag.value }
        return copy
    }

    /// Returns a record of an exchange that is already cleaned.
    var sealed: Record? {
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(self) else { return nil }
        return record
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

extension Exchange {
    /// The exchange without what differs from one time to the next though nothing has changed:
    /// times, addresses, counts of bytes, and what Tapline has noted itself.
    var timeless: Exchange {
        var copy = Exchange(id: id, state: state, request: request, response: response)
        copy.messages = messages
        copy.error = error
        // A reader of HAR tells by this text alone that somebody has given up.
        if state == .cancelled { copy.error?.message = "" }
        for tag in tags where !tag.name.hasPrefix("tapline.") { copy.tags[tag.name] = tag.value }
        return copy
    }

    /// A record of what is cleaned already.
    var sealed: Record? {
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(self) else { return nil }
        return record
    }
}

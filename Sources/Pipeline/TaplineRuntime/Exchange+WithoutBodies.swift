// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Exchange {
    /// Returns the exchange without its kept bodies, to free memory; their sizes remain.
    consuming func withoutBodies() -> Exchange {
        var hasForgotten = request.body.forget()
        if response?.body.forget() == true { hasForgotten = true }
        for index in messages.indices where !messages[index].bytes.isEmpty {
            messages[index].size = messages[index].size ?? messages[index].bytes.count
            messages[index].bytes = []
            messages[index].isTruncated = true
            hasForgotten = true
        }
        if hasForgotten { tags["tapline.memory"] = "bodies not kept: runtime.memory is used up" }
        return self
    }
}

extension Body {
    /// Removes the bytes and returns whether there were any.
    fileprivate mutating func forget() -> Bool {
        guard !bytes.isEmpty else { return false }
        size = size ?? bytes.count
        bytes = []
        isTruncated = true
        return true
    }
}

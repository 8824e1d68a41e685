// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Request {
    /// The parts of a request that a wire hook may replace, for later comparison.
    struct Line {
        let method: ByteString
        let target: ByteString
        let scheme: ByteString
        let authority: ByteString
    }

    var line: Line {
        Line(method: method, target: target, scheme: scheme, authority: authority)
    }
}

extension Exchange {
    /// Keeps the former method and URL if a hook changed them.
    mutating func noteOriginal(request before: Request.Line) {
        if before.method != request.method, original.method == nil {
            original.method = before.method
        }
        let isSame =
            before.target == request.target && before.authority == request.authority
            && before.scheme == request.scheme
        if !isSame, original.url == nil {
            let former = Request(
                method: before.method,
                target: before.target,
                scheme: before.scheme,
                authority: before.authority
            )
            original.url = former.url
        }
    }

    /// Keeps the former status if a hook changed it.
    mutating func noteOriginal(status before: Int?) {
        guard let before, original.status == nil, response?.status != before else { return }
        original.status = before
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineModel

extension HeadWriter {
    /// Writes the target in the requested form (RFC 9112 §3.2).
    @_lifetime(output: copy output)
    static func writeTarget(
        _ request: borrowing Request,
        _ form: TargetForm,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        let target = request.target.span
        guard target.endOfTarget(from: 0) == target.count else {
            throw HTTPError(.invalidTarget, .request)
        }
        let isConnect = request.method.span.isExactly("CONNECT")
        // RFC 9112 §3.2.3: CONNECT requires authority-form, and no other method allows it.
        guard isConnect == (form == .authority) else {
            throw HTTPError(.invalidTargetForm, .request)
        }
        switch form {
        case .authority:
            guard let parts = Authority(request.authority.span), parts.port != nil else {
                throw HTTPError(.invalidAuthority, .request)
            }
            output.append(copying: request.authority.span)
        case .asterisk:
            guard request.method.span.isExactly("OPTIONS") else {
                throw HTTPError(.invalidTargetForm, .request)
            }
            output.append(.ascii("*"))
        case .origin:
            if isWhole(target, request.method.span) {
                output.append(.ascii("*"))
            } else if target.isExactly("*") {
                guard request.method.span.isExactly("OPTIONS") else {
                    throw HTTPError(.invalidTargetForm, .request)
                }
                output.append(.ascii("*"))
            } else {
                try writePath(of: target, into: &output)
            }
        case .absolute:
            guard Authority(request.authority.span) != nil else {
                throw HTTPError(.invalidAuthority, .request)
            }
            let scheme = request.scheme.span
            guard !scheme.isEmpty, scheme.endOfToken(from: 0) == scheme.count else {
                throw HTTPError(.invalidTarget, .request)
            }
            output.append(copying: scheme)
            output.append("://")
            output.append(copying: request.authority.span)
            // RFC 9112 §3.2.4: the last proxy turns an empty path back into `*`.
            if !target.isExactly("*"), !isWhole(target, request.method.span) {
                try writePath(of: target, into: &output)
            }
        }
    }

    /// Returns whether a target is the URL of a server as a whole: an empty path and no query, only
    /// for OPTIONS (RFC 9112 §3.2.4).
    private static func isWhole(_ target: Span<UInt8>, _ method: Span<UInt8>) -> Bool {
        guard method.isExactly("OPTIONS"), let parts = URLParts(target) else { return false }
        return parts.target.isEmpty
    }

    /// Writes the path and query of a target in origin-form or absolute-form.
    @_lifetime(output: copy output)
    private static func writePath(
        of target: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        if !target.isEmpty, target[0] == .ascii("/") {
            output.append(copying: target)
            return
        }
        guard let parts = URLParts(target) else { throw HTTPError(.invalidTargetForm, .request) }
        let path = target.extracting(parts.target)
        // RFC 9112 §3.2.1: an empty path is sent as `/`.
        if path.isEmpty || path[0] != .ascii("/") { output.append(.ascii("/")) }
        output.append(copying: path)
    }
}

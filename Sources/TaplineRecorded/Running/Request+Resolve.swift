// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

extension Request {
    /// The absolute URL of a reference in an answer to this request (RFC 3986 §5); nothing where it
    /// is none.
    func resolve(_ reference: String) -> String? {
        let base = URL(string: url.description)
        return URL(string: reference, relativeTo: base)?.absoluteURL.absoluteString
    }
}

// SPDX-License-Identifier: MIT

package import TaplineModel

extension ByteString {
    /// Whether a request with this method may be sent twice (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        let method = span
        return method.equals("GET") || method.equals("HEAD") || method.equals("OPTIONS")
            || method.equals("TRACE") || method.equals("PUT") || method.equals("DELETE")
    }
}

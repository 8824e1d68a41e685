// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// A server with a different response for each path, which counts its requests.
final class Shop: PythonServer, @unchecked Sendable {
    /// The tokens that `/grant/0` and so on return.
    static let tokens = [
        "5f7c8ec7c33c6c004bbafe82", "a8Kd+93/jfQ=Lw72xZ", "tok-of-the-server-1234",
    ]

    init() throws {
        let tokens = String(decoding: try JSONEncoder().encode(Shop.tokens), as: UTF8.self)
        try super.init("shop", arguments: [tokens])
    }
}

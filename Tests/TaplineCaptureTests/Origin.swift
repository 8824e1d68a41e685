// SPDX-License-Identifier: MIT

import TestSupport

/// A server with a different response for each path.
final class Origin: PythonServer, @unchecked Sendable {
    init() throws { try super.init("origin") }
}

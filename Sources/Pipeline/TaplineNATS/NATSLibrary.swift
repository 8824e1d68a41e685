// SPDX-License-Identifier: MIT

internal import CNATS
package import TaplineSystem

extension SharedLibrary {
    /// The client library libnats, which has to be loaded before any of its functions is called.
    package static let nats = SharedLibrary(
        unsafe String(cString: tapline_nats_library())
    ) { reason in
        unsafe tapline_nats_load(&reason, reason.count)
    }
}

// SPDX-License-Identifier: MIT

internal import CKafka
package import TaplineSystem

extension SharedLibrary {
    /// The client library librdkafka, which has to be loaded before any of its functions is called.
    package static let kafka = SharedLibrary(
        unsafe String(cString: tapline_kafka_library())
    ) { reason in
        unsafe tapline_kafka_load(&reason, reason.count)
    }
}

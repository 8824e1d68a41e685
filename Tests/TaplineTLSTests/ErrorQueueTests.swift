// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTLS

@Suite("OpenSSL's errors")
struct ErrorQueueTests {
    /// The library of TLS has number 20, and its errors for alerts begin at 1000 (`ERR_LIB_SSL` and
    /// `SSL_AD_REASON_OFFSET`).
    @Test(
        "contain the alert of the peer",
        arguments: [
            (20, 1048, 48), (20, 1000, 0), (20, 1255, 255), (20, 1256, nil), (20, 999, nil),
            (11, 1048, nil),
        ] as [(Int32, Int32, UInt8?)]
    )
    func alerts(library: Int32, reason: Int32, alert: UInt8?) {
        let entry = ErrorQueue.Entry(library: library, reason: reason, text: "")
        #expect(entry.alert == alert)
    }

    @Test("are described by the first one, and removed")
    func drain() throws {
        ErrorQueue.clear()
        #expect(ErrorQueue.drain() == nil)
        let folder = "/nowhere/at/all"
        var options = TLSClientOptions()
        options.trustsSystem = false
        options.authorityFiles = ["\(folder)/root.pem"]
        #expect(throws: TLSError.self) { try TLSContext(client: options) }
        #expect(ErrorQueue.drain() == nil)
    }
}

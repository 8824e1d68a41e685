// SPDX-License-Identifier: MIT

import TaplineCertificates
import Testing

@Suite("The trust store for Java")
struct JavaTrustStoreTests {
    @Test("is selected by options, with quotes only if the path contains a space")
    func options() {
        let rest =
            " -Djavax.net.ssl.trustStoreType=PKCS12"
            + " -Djavax.net.ssl.trustStorePassword=changeit"
        #expect(
            JavaTrustStore(path: "/a/b.p12").options
                == "-Djavax.net.ssl.trustStore=/a/b.p12" + rest
        )
        #expect(
            JavaTrustStore(path: "/a b/c.p12").options
                == "-Djavax.net.ssl.trustStore=\"/a b/c.p12\"" + rest
        )
    }
}

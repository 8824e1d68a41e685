// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTLS

@Suite("The message about a certificate that is not valid")
struct VerificationFailureTests {
    /// The numbers are those of X509_STORE_CTX_get_error(3).
    @Test(
        "names the problem",
        arguments: [
            (10, 0, "the certificate of 'shop.test' has expired; its last day was 2001-09-09"),
            (10, 1, "a certificate in the chain of 'shop.test' has expired; its last day was"),
            (9, 0, "the certificate of 'shop.test' is not valid yet; its first day is 1970-01-02"),
            (18, 0, "is self-signed, not signed by a trusted authority"),
            (19, 1, "is signed by an authority that is not trusted"),
            (2, 0, "an intermediate certificate was not sent"),
            (20, 0, "an intermediate certificate was not sent"),
            (62, 0, "was issued for a host other than 'shop.test'"),
            (64, 0, "was issued for a host other than 'shop.test'"), (23, 0, "was revoked"),
            (26, 0, "was not issued for servers"), (66, 0, "a key or signature that is too weak"),
            (17, 0, "cannot be verified: out of memory"),
        ]
    )
    func message(result: Int, depth: Int32, text: String) throws {
        var rejected = RejectedCertificate(depth: depth)
        rejected.notBefore = 86_400
        rejected.notAfter = 1_000_000_000
        let error = unsafe VerificationFailure.error(result, rejected, try ServerName("shop.test"))
        #expect(error.code == .verification)
        #expect(error.message.contains(text), "\(error.message)")
    }

    @Test("has no day if it is unknown")
    func unknownDay() throws {
        let name = try ServerName("shop.test")
        let error = unsafe VerificationFailure.error(10, RejectedCertificate(), name)
        #expect(error.message == "the certificate of 'shop.test' has expired")
    }

    @Test("explains a certificate without alternative names", arguments: [62, 64])
    func noNames(result: Int) throws {
        let rejected = RejectedCertificate(namesHosts: false)
        let name = try ServerName("shop.test")
        let error = unsafe VerificationFailure.error(result, rejected, name)
        #expect(error.message.contains("names no host as a subject alternative name"))
    }
}

// SPDX-License-Identifier: MIT

import TaplineCrypto
import TaplineModel
import Testing

@testable import S3Sink

@Suite("Signatures for S3")
struct S3SignerTests {
    private static let signer = S3Signer(
        credentials: S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            sessionToken: nil
        ),
        region: "us-east-1"
    )

    @Test(
        "are those of the examples in AWS's documentation",
        arguments: [
            (
                "lifecycle=",
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
            ),
            (
                "max-keys=2&prefix=J",
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ),
        ]
    )
    func examples(query: String, signature: String) throws {
        let fields = Self.signer.fields(
            method: "GET",
            host: "examplebucket.s3.amazonaws.com",
            path: "/",
            query: query,
            payload: SHA256.hash(""),
            at: try #require(Timestamp(rfc3339: "2013-05-24T00:00:00Z"))
        )
        let expected =
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            + "SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature=\(signature)"
        #expect(fields.first("Authorization").map { "\($0)" } == expected)
        #expect(fields.first("x-amz-date").map { "\($0)" } == "20130524T000000Z")
    }

    @Test("cover the token of temporary credentials, and no description shows a key")
    func token() {
        let credentials = S3Credentials(accessKey: "a", secretKey: "hunter2", sessionToken: "t0ken")
        let fields = S3Signer(credentials: credentials, region: "r").fields(
            method: "PUT",
            host: "h",
            path: "/",
            query: "",
            payload: SHA256.hash(""),
            at: Timestamp(microseconds: 0)
        )
        #expect(fields.first("x-amz-security-token").map { "\($0)" } == "t0ken")
        let value = fields.first("Authorization").map { "\($0)" } ?? ""
        #expect(value.contains("x-amz-date;x-amz-security-token,"))
        #expect(!"\(credentials) \(value)".contains("hunter2"))
    }

    @Test("encode names as AWS does")
    func encoding() {
        #expect(S3Signer.encoded("a/b ä+~._-=") == "a%2Fb%20%C3%A4%2B~._-%3D")
        #expect(S3Signer.encoded("/a b/c", keepsSlashes: true) == "/a%20b/c")
    }
}

@Suite("Answers of S3")
struct S3AnswerTests {
    @Test("name uploads, parts and errors")
    func elements() {
        let parts = """
            <?xml version="1.0"?><ListPartsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Part><PartNumber>1</PartNumber><ETag>&quot;a&amp;b&quot;</ETag><Size>5</Size></Part>
            <Part><PartNumber>x</PartNumber><ETag>b</ETag><Size>5</Size></Part>
            <Part><PartNumber>3</PartNumber><ETag>c</ETag><Size>7</Size></Part></ListPartsResult>
            """
        #expect(
            S3Answer.parts(in: parts) == [
                S3Answer.Part(number: 1, tag: "\"a&b\"", size: 5),
                S3Answer.Part(number: 3, tag: "c", size: 7),
            ]
        )
        #expect(S3Answer.text("UploadId", in: "<a><UploadId>u1</UploadId></a>") == "u1")
        #expect(S3Answer.code(in: "<Error><Code>NoSuchUpload</Code></Error>") == "NoSuchUpload")
    }

    @Test(
        "are not read from the texts of other servers",
        arguments: ["", "<Code>", "<Code>a b</Code>", "<<>>"]
    )
    func hostile(text: String) {
        #expect(S3Answer.code(in: text) == nil && S3Answer.parts(in: text).isEmpty)
        let long = "<Code>\(String(repeating: "a", count: 65))</Code>"
        #expect(S3Answer.code(in: long) == nil)
    }
}

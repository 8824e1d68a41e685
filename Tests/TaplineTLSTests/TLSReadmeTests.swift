// SPDX-License-Identifier: MIT

import TaplineTLS
import TaplineSystem
import TestSupport
import Testing

@Suite("The TLS example on the reference page")
struct TLSReadmeTests {
    // swift-format-ignore
    @Test("runs")
    func example() throws {
        let bytes = try ClientHelloTests.hello()
        let connected = "127.0.0.1"
        try withTemporaryFolder { folder in
            let authority = try CertificateAuthority(AuthorityStore(folder: folder + "/ca"))
            let context = try TLSContext(server: TLSServerOptions())     // one for all hosts
            guard case .hello(let hello) = ClientHello.peek(bytes.span) else { return }   // nothing is consumed
            let host = try ServerName(hello.serverName ?? connected)
            let session = try TLSSession(accepting: context, as: authority.leaf(for: host))
            var position = 0
            var replies: [UInt8] = []
            let progress = try session.handshake(bytes.span, from: &position, replies: &replies)
            #expect(progress == .incomplete && !replies.isEmpty && host.text == "shop.test")
        }
    }

    @Test("is the one on the page")
    func page() throws {
        let page = try lines(of: "\(TestFiles.repository)/Sources/Network/TaplineTLS/README.md")
        let heading = try #require(page.firstIndex(of: "## Sessions"))
        let start = try #require(page[heading...].firstIndex(of: "```swift")) + 1
        let end = try #require(page[start...].firstIndex(of: "```"))
        let here = try lines(of: #filePath).map { $0.drop { $0 == " " } }
        #expect(end - start > 5)
        for line in page[start..<end] { #expect(here.contains(line[...]), "\(line)") }
    }

    private func lines(of path: String) throws -> [String] {
        try TestFiles.text(of: path)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

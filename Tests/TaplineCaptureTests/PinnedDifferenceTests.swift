// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import TaplineCapture

/// The differences that an app can observe: the second table of the page of `url_protocol`.
@Suite struct PinnedDifferenceTests {
    private let tap = Tap()
    private let delegate = NotingData(Behaviour(), Notes())
    private let session: TapSession

    init() {
        session = TapSession(configuration: .ephemeral, delegate: delegate, tap: tap)
    }

    @Test func aSessionHasOneMoreProtocolClass() throws {
        let classes = try #require(session.configuration.protocolClasses)
        let plain = try #require(URLSessionConfiguration.ephemeral.protocolClasses)
        #expect(classes.count == plain.count + 1)
        #expect(classes.first is CapturingProtocol.Type)
    }

    @Test func aTaskHasADelegateOfTapline() throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let task = session.dataTask(with: url)
        #expect(task.delegate is TapDelegate)
        #expect(session.delegate === delegate)
        task.delegate = delegate
        #expect(task.delegate === delegate)
    }

    @Test func aStreamIsReplacedByOneThatReadsIt() throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        var request = URLRequest(url: url)
        let stream = InputStream(data: Data("a stream".utf8))
        request.httpBodyStream = stream
        let task = session.dataTask(with: request)
        let sent = try #require(task.originalRequest?.httpBodyStream)
        #expect(sent !== stream && sent.streamStatus == stream.streamStatus)
        sent.open()
        #expect(stream.streamStatus == .open && sent.hasBytesAvailable)
        sent.close()
        #expect(stream.streamStatus == .closed)
    }
}

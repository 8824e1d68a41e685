// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct HARPostDataTests {
    func read(_ text: String) throws -> ([Exchange], LossReport) {
        var exchanges: [Exchange] = []
        var reader = RecordingReader(file: "f.har")
        let bytes = Array(text.utf8)
        try reader.read(bytes.span) { exchanges.append(try $0.get()) }
        try reader.finish { exchanges.append(try $0.get()) }
        return (exchanges, reader.losses)
    }

    @Test func charles() throws {
        let (exchanges, _) = try read(HARFixtures.charles)
        let login = exchanges[0]
        #expect(login.request.fields == ["cookie": "s=1"])
        #expect(
            login.request.body
                == Body(
                    bytes: Array("user%20name=a%26b&empty=&%C3%BC=".utf8),
                    size: 44,
                    contentType: "application/x-www-form-urlencoded"
                )
        )
        #expect(login.response?.reason.isEmpty == true)
        #expect(login.timing.connect == Microseconds(7000))
        #expect(login.started == Timestamp(rfc3339: "2026-11-20T14:03:00.123Z"))
        let upload = exchanges[1]
        let form =
            "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
            + "Content-Type: text/plain\r\n\r\nA\r\n--xyz--\r\n"
        #expect(upload.request.body.bytes == Array(form.utf8) && upload.request.body.size == 100)
        #expect(upload.request.contentType == #"multipart/form-data; boundary="xyz""#)
        #expect(upload.state == .failed)
        #expect(upload.response?.status == 503)
        #expect(upload.response?.body.isAbsent == true)
        #expect(upload.timing == Timing())
    }
}

// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel

/// Reading and writing HTTP/1.1.
extension Parts {
    func runHTTP(_ row: (PartResult?) -> Void) {
        let request = Array(Self.request.utf8)
        var parser = RequestParser()
        var head: RequestHead?
        row(
            measure("http, read a request of 14 fields") { _ in
                do { head = try parser.parse(request.span) } catch { fail("not read: \(error)") }
            }
        )
        var output: [UInt8] = []
        if let read = head {
            // Taken out of the head once, since a copy would cost half as much as writing it.
            let (request, framing) = (read.request, read.framing)
            row(
                measure("http, write a request of 14 fields") { _ in
                    output.removeAll(keepingCapacity: true)
                    let writing = RequestWriting(framing: framing, via: "tapline")
                    do { try HeadWriter.append(request, writing, to: &output) } catch {
                        fail("not written: \(error)")
                    }
                }
            )
        }
        let response = Array(Self.response.utf8)
        var responses = ResponseParser()
        var answer: ResponseHead?
        row(
            measure("http, read a response of 10 fields") { _ in
                do {
                    answer = try responses.parse(response.span, answering: RequestKind())
                } catch { fail("not read: \(error)") }
            }
        )
        if let read = answer {
            let (response, framing) = (read.response, read.framing)
            row(
                measure("http, write a response of 10 fields") { _ in
                    output.removeAll(keepingCapacity: true)
                    let writing = ResponseWriting(framing: framing, via: "tapline")
                    do { try HeadWriter.append(response, writing, to: &output) } catch {
                        fail("not written: \(error)")
                    }
                }
            )
        }
        runChunks(row)
    }

    /// Chunks of 16 KiB, read in place.
    private func runChunks(_ row: (PartResult?) -> Void) {
        var body: [UInt8] = []
        for _ in 0..<8 {
            ChunkWriter.appendStart(16_384, to: &body)
            body.append(contentsOf: repeatElement(0x61, count: 16_384))
            ChunkWriter.appendEnd(to: &body)
        }
        var decoder = BodyDecoder(.chunked, .response)
        row(
            measure("http, read 128 KiB in chunks of 16 KiB") { _ in
                var consumed = 0
                do {
                    while consumed < body.count {
                        consumed += try decoder.next(body.span.extracting(consumed...)).consumed
                    }
                } catch { fail("not read: \(error)") }
            }
        )
        runWebSocket(row)
    }

    /// The processing of a message in the proxy, without sockets.
    private func runWebSocket(_ row: (PartResult?) -> Void) {
        let mask = WebSocketMask(key: 0x1234_5678)
        let payload = [UInt8](repeating: 0x61, count: 16_384)
        for (name, count, every) in [("100 bytes", 100, 1), ("16 KiB", 16_384, 16)] {
            var assembler = WebSocketMessageAssembler(from: .client, keeps: 1 << 20)
            var frame: [UInt8] = []
            let head = WebSocketFrame(.binary, payloadCount: 0, mask: mask)
            frame.append(head, payload: payload.span.extracting(0..<count))
            row(
                measure("http, read a masked WebSocket message of \(name)", every: every) { _ in
                    do {
                        if try assembler.next(frame.span).message == nil { fail("no message") }
                    } catch { fail("not read: \(error)") }
                }
            )
            var output: [UInt8] = []
            row(
                measure("http, read it and write it under a new mask, \(name)", every: every) {
                    do {
                        guard let message = try assembler.next(frame.span).message else {
                            fail("no message")
                        }
                        output.removeAll(keepingCapacity: true)
                        let mask = WebSocketMask(key: UInt32(truncatingIfNeeded: $0))
                        let head = WebSocketFrame(message.opcode, payloadCount: 0, mask: mask)
                        output.append(head, payload: message.bytes.span)
                    } catch { fail("not read: \(error)") }
                }
            )
        }
    }

    static let request = """
        GET /static/app/main.8f3a1c.js?v=20261121&lang=en HTTP/1.1\r
        Host: shop.example.test\r
        Connection: keep-alive\r
        sec-ch-ua: "Chromium";v="130", "Not?A_Brand";v="99"\r
        sec-ch-ua-mobile: ?0\r
        sec-ch-ua-platform: "Linux"\r
        User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
        Chrome/130.0.0.0 Safari/537.36\r
        Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*\r
        Sec-Fetch-Site: same-origin\r
        Sec-Fetch-Mode: navigate\r
        Sec-Fetch-Dest: document\r
        Referer: https://shop.example.test/cart\r
        Accept-Encoding: gzip, deflate, br, zstd\r
        Accept-Language: en-US,en;q=0.9\r
        Cookie: session=4f9d2b7c8a1e; theme=dark; consent=1\r
        \r

        """

    static let response = """
        HTTP/1.1 200 OK\r
        Server: nginx/1.22.1\r
        Date: Sat, 21 Nov 2026 12:00:00 GMT\r
        Content-Type: application/javascript; charset=utf-8\r
        Content-Length: 48213\r
        Last-Modified: Fri, 20 Nov 2026 09:30:11 GMT\r
        Connection: keep-alive\r
        ETag: "6560a1b3-bc55"\r
        Cache-Control: public, max-age=31536000, immutable\r
        Accept-Ranges: bytes\r
        Vary: Accept-Encoding\r
        \r

        """
}

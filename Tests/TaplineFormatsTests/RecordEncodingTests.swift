// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct RecordEncodingTests {
    func line(_ exchange: Exchange, digests: Bool = false) throws -> String {
        let record = try #require(seal(exchange, digests: digests))
        var writer = NDJSONWriter(capacity: 1)
        writer.write(record)
        return text(writer.bytes)
    }

    @Test func writesEveryKey() throws {
        let line = try line(fullExchange(), digests: true)
        let expected =
            #"{"v":1,"id":"01931234-5678-7abc-8def-0123456789ab","source":"proxy-2","#
            + #""state":"failed","started":"2026-11-20T14:03:00.123456Z","#
            + #""timing":{"dns_ms":0.1,"connect_ms":0.3,"tls_ms":1.9,"send_ms":0.4,"#
            + #""wait_ms":12.1,"first_event_ms":12.9,"receive_ms":3.001,"total_ms":15.5},"client":"127.0.0.1:51234","#
            + #""server":"[::1]:8443","connection":{"reused":true},"tls":{"version":"TLSv1.3","#
            + #""cipher":"TLS_AES_128_GCM_SHA256","sni":"shop.test","alpn":"http/1.1","#
            + #""handshake":{"up":517,"down":1200}},"#
            + #""server_tls":{"version":"TLSv1.2","alpn":"h2"},"request":{"method":"POST","#
            + #""url":"https://shop.test:8443/cart?x=1","target":"/cart?x=1","version":"HTTP/1.1","#
            + #""headers":[["Host","shop.test:8443"],["X-A","1"],["x-a","2"],["E",""],"#
            + #"["X-Odd",{"base64":"Yf/+"}]],"body":{"text":"{\"a\":\"é\"}","size":311,"kept":10,"#
            + #""decoded_size":10,"content_type":"application/json; x=é","#
            + #""sha256":"…"},"#
            + #""trailers":[["Digest","x"]]},"response":{"status":503,"reason":"Too \"busy\"","#
            + #""version":"HTTP/1.0","headers":[["Content-Type","image/png"],"#
            + #"["Content-Encoding","gzip"]],"body":{"base64":"H4sA/w==","size":90123,"kept":4,"#
            + #""truncated":true,"coding":"gzip","decoded_size":400000,"content_type":"image/webp","#
            + #""sha256":"…"},"trailers":[["Server-Timing","db;dur=1"]],"#
            + #""interim":[{"status":103,"reason":"Early Hints","headers":[["Link","</a.css>"]]},"#
            + #"{"status":100,"#
            + #""headers":[]}]},"messages":[{"dir":"up","at_ms":3.1,"type":"text","text":"hé\n","#
            + #""size":4},{"dir":"down","at_ms":-0.001,"type":"binary","base64":"/w==","size":1000,"#
            + #""truncated":true},{"dir":"down","type":"close","code":1001,"text":"bye"},"#
            + #"{"dir":"down","at_ms":12.9,"type":"event","event":"delta","id":"7","#
            + #""text":"{\"a\":1}","size":30}],"#
            + #""bytes":{"up":{"line":31,"headers":402,"body":311},"#
            + #""down":{"line":17,"headers":230,"body":90123},"exact":true},"#
            + #""original":{"method":"PUT","url":"https://prod.test/cart?x=1","status":200},"#
            + #""tags":{"team":"checkout","k\"ey":"v\u0001"},"#
            + #""error":{"code":"reset","message":"the server closed the connection"},"#
            + #""provenance":[{"stage":"lua","hook":"request","verdict":"respond","failed":true,"#
            + #""calls":3,"at_ms":1.1,"took_ms":0.012,"delay_ms":5,"changes":["#
            + #"{"part":"request.header","name":"x-é","kind":"set"},"#
            + #"{"part":"tag","kind":"removed","count":2},"#
            + #"{"part":"request.body","kind":"changed","before":2048,"after":64}],"#
            + #""details":[{"name":"rule","value":"slow \"checkout\""}]},"#
            + #"{"stage":"rules-2","hook":"response","skipped":"not_asked"},"#
            + #"{"stage":"rules","hook":"response","verdict":"proceed","decision":"changed","#
            + #""waited_ms":2500}],"#
            + #""replay":{"of":"01930000-0000-7abc-8000-000000000001","#
            + #""due_at":"2026-11-20T14:03:10.000001Z","sent_at":"2026-11-20T14:03:10.000071Z","status":503},"#
            + #""notes":[{"text":"why\n\"503\"?","by":"Ann","mark":"red","#
            + #""at":"2026-11-20T14:03:10.000001Z"},{"mark":"star"}],"#
            + #""stream":{"client":{"id":3,"version":"HTTP/2","fields":{"up":140,"down":90}},"#
            + #""server":{"version":"HTTP/1.1"}},"#
            + #""grpc":{"service":"shop.v1.Cart","method":"Add","status":5,"#
            + #""message":"no cart"}}"# + "\n"
        #expect(line.replacing(/"sha256":"[0-9a-f]{64}"/, with: "\"sha256\":\"…\"") == expected)
        #expect(line.matches(of: /"sha256":"[0-9a-f]{64}"/).count == 2)
    }

    @Test func leavesOutUnknownValues() throws {
        let id = ExchangeID(high: 1, low: 2)
        var exchange = Exchange(id: id)
        exchange.request = Request(target: "/a", authority: "h", version: "")
        #expect(
            try line(exchange)
                == #"{"v":1,"id":"00000000-0000-0001-0000-000000000002","state":"completed","#
                + #""started":"1970-01-01T00:00:00.000000Z","request":{"method":"GET","#
                + #""url":"http://h/a","target":"/a","headers":[]}}"# + "\n"
        )
    }
}

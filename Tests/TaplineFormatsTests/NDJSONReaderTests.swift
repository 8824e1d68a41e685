// SPDX-License-Identifier: MIT

import TaplineCrypto
import TaplineFormats
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@Suite struct NDJSONReaderTests {
    func read(_ line: String) throws(RecordError) -> Exchange {
        var reader = NDJSONReader()
        let bytes = Array(line.utf8)
        return try reader.read(bytes.span)
    }

    func failure(_ line: String) -> RecordError? {
        do {
            _ = try read(line)
            return nil
        } catch {
            return error
        }
    }

    func written(_ exchange: Exchange, digests: Bool = false) throws -> String {
        let record = try #require(seal(exchange, digests: digests))
        var writer = NDJSONWriter()
        writer.write(record)
        return text(writer.bytes)
    }

    @Test func writtenRecordsRoundTrip() throws {
        let exchange = fullExchange()
        #expect(try read(written(exchange)) == exchange)
    }

    @Test func hashesAreComputedAgain() throws {
        let first = try written(fullExchange(), digests: true)
        var exchange = try read(first)
        #expect(exchange.request.body.isHashed && exchange.response?.body.isHashed == true)
        #expect(try written(exchange) == first)
        exchange.request.body.bytes.append(0x21)
        exchange.request.body.size = exchange.request.body.bytes.count
        let changed = try written(exchange)
        let hash = SHA256.hash(exchange.request.body.bytes.span).hex
        #expect(changed.contains("\"sha256\":\"\(hash)\""))
        exchange.request.body.bytes = []
        exchange.response?.body = Body([1])
        #expect(try !written(exchange).contains("sha256"))
        #expect(try !written(fullExchange()).contains("sha256"))
    }

    @Test(arguments: [
        Request(method: "OPTIONS", target: "*", authority: "h:1"),
        Request(method: "CONNECT", target: "h:443", scheme: "https", authority: "h:443"),
        Request(target: "http://h/x?y#z", authority: "h"),
        Request(target: "/a#b?c", authority: "u:p@h"),
        Request(target: "", authority: "h"), Request(target: "//x//y", authority: "[::1]:80"),
        Request(target: "relative", scheme: "", authority: ""),
        Request(target: "/", authority: ""),
    ])
    func everyFormOfTargetRoundTrips(_ request: Request) throws {
        let exchange = Exchange(id: ExchangeID(high: 0, low: 1), request: request)
        #expect(try read(written(exchange)) == exchange)
    }

    @Test func unusualBytesRoundTripEverywhere() throws {
        let odd = ByteString(oddBytes)
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        var target = Array("/\"\\\n".utf8)
        target.append(0xFF)
        exchange.request = Request(
            method: odd,
            target: ByteString(target),
            authority: odd,
            version: odd
        )
        let bytes = oddBytes
        exchange.request.fields.append(name: bytes.span, value: bytes.span)
        exchange.request.fields.append(name: "é".utf8.span, value: "ü\u{0}\r\n".utf8.span)
        exchange.request.body = Body(oddBytes)
        exchange.response = Response(status: 0, reason: odd, version: odd)
        exchange.original = Original(method: odd, url: odd)
        exchange.state = .cancelled
        #expect(try read(written(exchange)) == exchange)
    }

    @Test func charactersSplitBetweenNameAndValueRoundTrip() throws {
        let character = Array("é".utf8)
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        let name = [character[0]]
        let value = [character[1]]
        exchange.request.fields.append(name: name.span, value: value.span)
        #expect(try read(written(exchange)) == exchange)
    }

    @Test func brokenJSONIsAnErrorWithItsByte() throws {
        let error = try #require(failure(#"{"v":1,"id":tru,}"#))
        #expect(error.code == .notJSON)
        #expect(error.byte == 12)
    }

    @Test func everyTruncationIsCutOff() throws {
        let line = try written(fullExchange())
        let bytes = Array(line.utf8.dropLast())
        var reader = NDJSONReader()
        _ = try reader.read(bytes.span)
        for length in stride(from: 1, to: bytes.count, by: 3) {
            let part = Array(bytes[..<length])
            var code: RecordError.Code?
            do { _ = try reader.read(part.span) } catch { code = error.code }
            #expect(code == .cutOff, "\(length)")
        }
    }

    @Test func anyChangedByteIsReadOrRejected() throws {
        let bytes = Array(try written(fullExchange()).utf8)
        var random = Random(seed: 42)
        var reader = NDJSONReader()
        var accepted = 0
        for _ in 0..<20_000 {
            var changed = bytes
            for _ in 0..<2 {
                changed[random.below(bytes.count)] = random.byte()
            }
            do {
                let exchange = try reader.read(changed.span)
                accepted += 1
                _ = try written(exchange)
            } catch let error as RecordError {
                #expect(error.byte >= 0 && error.byte <= bytes.count)
            }
        }
        #expect(accepted > 100)
    }
}

// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem

extension SourcePlugin {
    /// The source `request_list`: reads lines such as `GET http://shop.test/cart 200`.
    public static var requestList: SourcePlugin {
        let path = ConfigKey("path", .path, summary: "The list to read.", example: "requests.txt")
        return SourcePlugin(
            name: "request_list",
            summary: "Reads a list of requests: method, URL and status on each line.",
            options: OptionSchema(path)
        ) { options, _ in
            RequestList(path: options[path])
        }
    }
}

/// A configured `request_list`.
private struct RequestList: Source {
    /// How many exchanges are submitted together.
    private static let batch = 100
    /// The longest line that is read.
    private static let longestLine = 65_536

    let path: String

    func run(_ intake: any Intake) async throws {
        let file = try File(path, for: .read)
        let lane = try intake.makeLane()
        defer { lane.close() }
        var bytes: [UInt8] = []
        var count: Int64 = 0
        var isAtEnd = false
        while !isAtEnd {
            isAtEnd = try file.read(appendingTo: &bytes, atMost: RequestList.longestLine) == 0
            var rest = bytes[...]
            while let end = rest.firstIndex(of: 0x0A) ?? (isAtEnd ? rest.endIndex : nil),
                !rest.isEmpty
            {
                count += 1
                read(rest[..<end], number: count, into: lane, intake)
                rest = rest[end...].dropFirst()
                if count.isMultiple(of: Int64(RequestList.batch)), await !lane.submit() { return }
            }
            bytes = Array(rest)
            if bytes.count > RequestList.longestLine {
                throw ListError(description: "\(path):\(count + 1): the line is too long")
            }
        }
        intake.progress(done: count, of: count)
        _ = await lane.submit()
    }

    private func read(
        _ line: ArraySlice<UInt8>,
        number: Int64,
        into lane: any Lane,
        _ intake: any Intake
    ) {
        let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.map { Array($0) }
        if words.isEmpty { return }
        guard words.count == 3, let status = Int(String(decoding: words[2], as: UTF8.self)) else {
            // Report the place and never the text, since lines contain traffic.
            intake.log.warning("line \(number) is not 'METHOD URL STATUS'")
            intake.rejected(1)
            return
        }
        let started = Timestamp(microseconds: WallClock.microseconds)
        var exchange = Exchange(
            id: ExchangeID(
                started: started,
                random: .random(in: 0 ... .max),
                .random(in: 0 ... .max)
            ),
            source: intake.id,
            started: started,
            request: Request(method: ByteString(words[0])),
            response: Response(status: status)
        )
        let url = words[1]
        exchange.request.setURL(url.span)
        lane.pass(exchange)
    }
}

/// Why the list cannot be read.
private struct ListError: Error, CustomStringConvertible {
    let description: String
}

// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

/// The start time of an entry, as tools write it.
@Suite struct HARTimeTests {
    func read(_ started: String) throws -> (String, findings: [String], har: String) {
        var reader = HARReader()
        let entry = Array(
            #"{"startedDateTime":\#(started),"request":{"method":"GET","url":"http://h/"}}"#.utf8
        )
        let exchange = try reader.read(entry.span)
        let findings = reader.findings.losses.map(\.field)
        return (exchange.started.rfc3339, findings, "\(exchange.har)")
    }

    @Test(arguments: [
        #""2026-11-20T16:03:00.123+0200""#, #""2026-11-20T14:03:00.123+0000""#,
        #""2026-11-20T09:03:00.123-0500""#, #""2026-11-20T15:03:00.123+01""#,
        #""2026-11-20 14:03:00.123 +0000""#, #""2026-11-20T14:03:00,123Z""#,
        #""2026-11-20T14:03:00,123+0000""#, #""2026-11-20T14:03:00.123 UTC""#, "1795183380123",
        "1795183380.123", #""1795183380123""#, "1795183380123000", #""1795183380.123""#,
        "1.795183380123e12",
    ])
    func otherFormsAreRead(_ started: String) throws {
        let (time, findings, har) = try read(started)
        #expect(time == "2026-11-20T14:03:00.123000Z")
        #expect(findings == ["startedDateTime (not as in RFC 3339)"])
        #expect(har.isEmpty)
    }

    @Test(arguments: [#""2026-11-20T14:03:00.123""#, #""2026-11-20 14:03:00.123""#])
    func withoutAZoneItIsUTC(_ started: String) throws {
        let (time, findings, _) = try read(started)
        #expect(time == "2026-11-20T14:03:00.123000Z")
        #expect(findings == ["startedDateTime (without a zone, read as UTC)"])
    }

    @Test(arguments: [
        #""now""#, "1", "-5", "1e300", #""""#, "true", "{}", #""99999999999999999999999""#,
        #""12""#,
        #""2026-13-20T14:03:00+0200""#, #""2026-11-20T14:03:00+2""#, #""2026-11-20T14:03:00+020""#,
        #""2026-11-20T14:03:00+02000""#, #""2026-11-20T14:03:00.+0200""#, #""2026-11-20""#,
        #""2026-11-20T14:03:00 CET""#, #""1795183380.""#, #""é""#,
    ])
    func otherValuesAreNotTimes(_ started: String) throws {
        let (time, findings, har) = try read(started)
        #expect(time == "1970-01-01T00:00:00.000000Z")
        #expect(findings == ["startedDateTime (not a time, read as 1970)"])
        #expect(har.contains("startedDateTime"))
    }

    @Test func theStandardFormIsNotAFinding() throws {
        let (time, findings, har) = try read(#""2026-11-20T16:03:00.123+02:00""#)
        #expect(time == "2026-11-20T14:03:00.123000Z" && findings.isEmpty && har.isEmpty)
    }
}

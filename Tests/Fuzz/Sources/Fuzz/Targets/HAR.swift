// SPDX-License-Identifier: MIT

/// HAR: the result does not depend on chunks; exchanges can be written as HAR and NDJSON, and read
/// again.
func fuzzHAR(_ input: inout FuzzInput) {
    let head = Array("{\"log\":{\"entries\":[".utf8)
    let isWhole = input.below(2) == 0
    let cuts = input.take(2)
    let bytes = (isWhole ? [] : head) + input.rest()
    var choice = FuzzInput(bytes: cuts)
    let outcome = RecordingOutcome.check(bytes, &choice)
    RoundTrip.checkHAR(outcome.exchanges)
    for exchange in outcome.exchanges { RoundTrip.checkNDJSON(exchange) }
}

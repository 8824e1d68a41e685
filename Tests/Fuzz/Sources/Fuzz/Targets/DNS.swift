// SPDX-License-Identifier: MIT

import TaplineReach

/// DNS: any bytes are a message or none; what is answered to a query is a response to it.
func fuzzDNS(_ input: inout FuzzInput) {
    let bytes = input.rest()
    let addresses = DNSMessage.addresses(in: bytes.span)
    require(addresses.count <= bytes.count / 15, "more addresses than there is room for")
    guard let message = DNSMessage(bytes.span) else {
        return require(addresses.isEmpty, "a message without a question has addresses")
    }
    for code in [DNSMessage.ResponseCode.noError, .serverFailure] {
        let response = message.response(code)
        let parsed = DNSMessage(response.span)
        require(parsed?.answers(message) == true, "the response does not answer")
        require(DNSMessage.addresses(in: response.span).isEmpty, "the response has addresses")
    }
}

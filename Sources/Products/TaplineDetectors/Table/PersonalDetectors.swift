// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Data that identifies a person.
    static let personal: [Detector] = [
        Detector("email", .personal, "E-mail address", [.shape(.email)]),
        Detector(
            "phone_number",
            .personal,
            "Phone number",
            isStandard: false,
            [.shape(.phoneNumber)]
        ),
        Detector(
            "ip_address",
            .personal,
            "IPv4 or IPv6 address",
            isStandard: false,
            [.shape(.ipv4), .shape(.ipv6)]
        ),
    ]
}

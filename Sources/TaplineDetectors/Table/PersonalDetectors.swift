// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// What tells who somebody is.
    static let personal: [Detector] = [
        Detector("email", .personal, "E-mail address", [.shape(.email)]),
        Detector(
            "phone_number",
            .personal,
            "Telephone number",
            isStandard: false,
            [.shape(.phoneNumber)]
        ),
        Detector(
            "ip_address",
            .personal,
            "IP address, of version 4 or 6",
            isStandard: false,
            [.shape(.ipv4), .shape(.ipv6)]
        ),
    ]
}

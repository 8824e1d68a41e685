// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
    name: "tapped-app",
    products: [.executable(name: "tapped-app", targets: ["TappedApp"])],
    dependencies: [.package(name: "tapline", path: "../..")],
    targets: [
        .executableTarget(
            name: "TappedApp",
            dependencies: [.product(name: "Tapline", package: "tapline")]
        )
    ],
    cxxLanguageStandard: .cxx17
)

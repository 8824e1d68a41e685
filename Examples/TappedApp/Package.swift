// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
    name: "tapped-app",
    products: [.executable(name: "tapped-app", targets: ["TappedApp"])],
    traits: [.default(enabledTraits: ["Capture"]), "Capture"],
    dependencies: [
        .package(
            name: "tapline",
            path: "../..",
            traits: [.trait(name: "TAPLINE", condition: .when(traits: ["Capture"]))]
        )
    ],
    targets: [
        .executableTarget(
            name: "TappedApp",
            dependencies: [.product(name: "Tapline", package: "tapline")]
        )
    ]
)

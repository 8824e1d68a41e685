// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Shops, payment services, cards and bank accounts.
    static let payment: [Detector] = [
        Detector(
            "stripe_key",
            .payment,
            "Stripe or Paystack secret or restricted key",
            Form.tokens(
                ["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
                .init(.alphanumeric, 16...255)
            )
        ),
        Detector(
            "stripe_webhook_secret",
            .payment,
            "Stripe or Svix webhook signing secret",
            [.token("whsec_", .init(.base64, 24...100), .init(.equals, 0...2))]
        ),
        Detector(
            "square_token",
            .payment,
            "Square token or secret",
            [
                .token("sq0atp-", .init(.base64URL, 22)), .token("sq0csp-", .init(.base64URL, 43)),
                .token("EAAA", .init(.base64URL, 60), entropy: 4),
            ]
        ),
        Detector(
            "braintree_token",
            .payment,
            "Braintree or PayPal access token",
            Form.tokens(
                ["access_token$production$", "access_token$sandbox$"],
                .init(.smalls, 16),
                "$",
                .init(.hex, 32)
            )
        ),
        Detector(
            "shopify_token",
            .payment,
            "Shopify token or secret",
            Form.tokens(["shpat_", "shpss_", "shpca_", "shppa_"], .init(.anyHex, 32))
        ),
        Detector(
            "flutterwave_key",
            .payment,
            "Flutterwave secret, public or encryption key",
            Form.tokens(
                [
                    "FLWSECK-", "FLWSECK_TEST-", "FLWSECK_LIVE-", "FLWPUBK-", "FLWPUBK_TEST-",
                    "FLWPUBK_LIVE-",
                ],
                .init(.smalls, 32),
                "-X"
            ) + [.token("FLWSECK_TEST-", .init(.smalls, 12))]
        ),
        Detector(
            "razorpay_key",
            .payment,
            "Razorpay key",
            Form.tokens(["rzp_live_", "rzp_test_"], .init(.alphanumeric, 14))
        ),
        Detector(
            "mollie_key",
            .payment,
            "Mollie, GoCardless or Lob live key",
            [.token("live_", .init(.alphanumeric, 30...48), entropy: 3.5)]
        ),
        Detector(
            "plaid_token",
            .payment,
            "Plaid access token",
            ["access-production-", "access-development-", "access-sandbox-"].map {
                .token(Token($0, Segment.uuid))
            }
        ),
        Detector(
            "easypost_key",
            .payment,
            "EasyPost API key",
            Form.tokens(["EZAK", "EZTK"], .init(.alphanumeric, 54))
        ),
        Detector(
            "shippo_token",
            .payment,
            "Shippo token",
            Form.tokens(["shippo_live_", "shippo_test_"], .init(.hex, 40))
        ),
        Detector(
            "duffel_token",
            .payment,
            "Duffel token",
            Form.tokens(["duffel_live_", "duffel_test_"], .init(.base64URL, 43))
        ),
        Detector(
            "xendit_key",
            .payment,
            "Xendit secret key",
            Form.tokens(["xnd_production_", "xnd_development_"], .init(.alphanumeric, 40...80))
        ),
        Detector("card_number", .payment, "Payment card number", [.shape(.cardNumber)]),
        Detector("iban", .payment, "International bank account number", [.shape(.iban)]),
    ]
}

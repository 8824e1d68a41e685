// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Chats, mail and telephony.
    static let messaging: [Detector] = [
        Detector(
            "slack_token",
            .messaging,
            "Tokens of Slack, all kinds",
            Form.tokens(
                [
                    "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-",
                    "xoxe.xoxp-", "xoxe.xoxb-",
                ],
                .init(.slack, 20...300)
            )
                + [.token("xapp-", .init(.dashed, 40...200))]
                // Tokens of workspaces may be short.
                + Form.tokens(["xoxa-", "xoxr-"], .init(.alphanumeric, 8...48), entropy: 2.5)
                + Form.tokens(["xoxa-2-", "xoxr-2-"], .init(.alphanumeric, 8...48), entropy: 2.5)
        ),
        Detector(
            "slack_webhook",
            .messaging,
            "Webhook of Slack",
            ["services", "workflows", "triggers"].map {
                .behind("hooks.slack.com/\($0)/", .init(.pathSegments, 30...100))
            }
        ),
        Detector(
            "discord_token",
            .messaging,
            "Bot token of Discord",
            [
                .behind(
                    "Bot ",
                    .init(.base64URL, 23...28),
                    ".",
                    .init(.base64URL, 5...8),
                    ".",
                    .init(.base64URL, 27...40)
                )
            ]
                + Form.values(
                    of: ["discord"],
                    .init(.base64URL, 23...28),
                    ".",
                    .init(.base64URL, 5...8),
                    ".",
                    .init(.base64URL, 27...40)
                )
        ),
        Detector(
            "discord_webhook",
            .messaging,
            "Webhook of Discord",
            ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"].map {
                .behind($0, .init(.digits, 17...20), "/", .init(.base64URL, 60...80))
            }
        ),
        Detector(
            "telegram_token",
            .messaging,
            "Bot token of Telegram",
            [
                .token(
                    Token(
                        ":AA",
                        [.init(.base64URL, 33)],
                        lead: .init(.digits, 8...10),
                        prefix: "bot"
                    )
                )
            ]
        ),
        Detector(
            "teams_webhook",
            .messaging,
            "Webhook of Microsoft Teams",
            [.behind(".webhook.office.com/webhookb2/", .init(.pathSegments, 80...300))]
        ),
        Detector(
            "twilio_key",
            .messaging,
            "API key of Twilio, or the auth token behind its name",
            // Hyperscan is at its best with three bytes and more.
            "0123456789abcdef".map { .token("SK\($0)", .init(.hex, 31)) }
                + Form.values(of: ["twilio"], .init(.hex, 32))
        ),
        Detector(
            "sendgrid_key",
            .messaging,
            "API key of SendGrid",
            [.token("SG.", .init(.base64URL, 20...24), ".", .init(.base64URL, 39...50))]
        ),
        Detector(
            "mailgun_key",
            .messaging,
            "API key of Mailgun",
            [.token("key-", .init(.smalls, 32), entropy: 3)]
                + Form.values(
                    of: ["mailgun"],
                    .init(.hex, 32),
                    "-",
                    .init(.hex, 8),
                    "-",
                    .init(.hex, 8)
                )
        ),
        Detector(
            "mailchimp_key",
            .messaging,
            "API key of Mailchimp",
            [.around("-us", lead: .init(.hex, 32), .init(.digits, 1...2))]
        ),
        Detector(
            "brevo_key",
            .messaging,
            "API key of Brevo",
            Form.tokens(["xkeysib-", "xsmtpsib-"], .init(.hex, 64), "-", .init(.alphanumeric, 16))
        ),
        Detector(
            "postmark_token",
            .messaging,
            "Server token of Postmark, behind its name",
            [.assignment(Assignment("postmark", Segment.uuid))]
        ),
    ]
}

extension ByteSet {
    /// Tokens of browsers (`xoxd-`) are escaped base64.
    fileprivate static let slack = ByteSet("0-9A-Za-z%-") { dashed.contains($0) || $0 == 0x25 }
}

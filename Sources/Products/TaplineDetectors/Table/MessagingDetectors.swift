// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Chats, mail and telephony.
    static let messaging: [Detector] = [
        Detector(
            "slack_token",
            .messaging,
            "Slack tokens of all kinds",
            Form.tokens(
                [
                    "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-",
                    "xoxe.xoxp-", "xoxe.xoxb-",
                ],
                .init(.slack, 20...300)
            )
                + [.token("xapp-", .init(.dashed, 40...200))]
                // Workspace tokens may be short.
                + Form.tokens(["xoxa-", "xoxr-"], .init(.alphanumeric, 8...48), entropy: 2.5)
                + Form.tokens(["xoxa-2-", "xoxr-2-"], .init(.alphanumeric, 8...48), entropy: 2.5)
        ),
        Detector(
            "slack_webhook",
            .messaging,
            "Slack webhook",
            ["services", "workflows", "triggers"].map {
                .after("hooks.slack.com/\($0)/", .init(.pathSegments, 30...100))
            }
        ),
        Detector(
            "discord_token",
            .messaging,
            "Discord bot token",
            [
                .after(
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
            "Discord webhook",
            ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"].map {
                .after($0, .init(.digits, 17...20), "/", .init(.base64URL, 60...80))
            }
        ),
        Detector(
            "telegram_token",
            .messaging,
            "Telegram bot token",
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
            "Microsoft Teams webhook",
            [.after(".webhook.office.com/webhookb2/", .init(.pathSegments, 80...300))]
        ),
        Detector(
            "twilio_key",
            .messaging,
            "Twilio API key, or auth token after its name",
            // Hyperscan works best with literals of three or more bytes.
            "0123456789abcdef".map { .token("SK\($0)", .init(.hex, 31)) }
                + Form.values(of: ["twilio"], .init(.hex, 32))
        ),
        Detector(
            "sendgrid_key",
            .messaging,
            "SendGrid API key",
            [.token("SG.", .init(.base64URL, 20...24), ".", .init(.base64URL, 39...50))]
        ),
        Detector(
            "mailgun_key",
            .messaging,
            "Mailgun API key",
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
            "Mailchimp API key",
            [.around("-us", lead: .init(.hex, 32), .init(.digits, 1...2))]
        ),
        Detector(
            "brevo_key",
            .messaging,
            "Brevo API key",
            Form.tokens(["xkeysib-", "xsmtpsib-"], .init(.hex, 64), "-", .init(.alphanumeric, 16))
        ),
        Detector(
            "postmark_token",
            .messaging,
            "Postmark server token, after its name",
            [.assignment(Assignment("postmark", Segment.uuid))]
        ),
    ]
}

extension ByteSet {
    /// Browser tokens (`xoxd-`) are percent-encoded base64.
    fileprivate static let slack = ByteSet("0-9A-Za-z%-") { dashed.contains($0) || $0 == 0x25 }
}

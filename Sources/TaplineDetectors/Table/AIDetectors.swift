// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Language models and what goes with them.
    static let ai: [Detector] = [
        Detector(
            "openai_key",
            .ai,
            "API key of OpenAI, and others of the same form",
            Form.tokens(["sk-proj-", "sk-svcacct-", "sk-admin-"], .init(.base64URL, 40...300))
                + [.token("sk-", .init(.alphanumeric, 32...64), entropy: 3.5)]
        ),
        Detector(
            "anthropic_key",
            .ai,
            "API key of Anthropic",
            [.token("sk-ant-", .init(.base64URL, 40...200))]
        ),
        Detector(
            "huggingface_token",
            .ai,
            "Token of Hugging Face",
            Form.tokens(["hf_", "api_org_"], .init(.alphanumeric, 34...40))
        ),
        Detector(
            "replicate_token",
            .ai,
            "Token of Replicate",
            [.token("r8_", .init(.alphanumeric, 37))]
        ),
        Detector(
            "groq_key",
            .ai,
            "API key of Groq",
            [.token("gsk_", .init(.alphanumeric, 52))]
        ),
        Detector(
            "perplexity_key",
            .ai,
            "API key of Perplexity",
            [.token("pplx-", .init(.alphanumeric, 40...64))]
        ),
        Detector(
            "xai_key",
            .ai,
            "API key of xAI",
            [.token("xai-", .init(.alphanumeric, 60...100))]
        ),
        Detector(
            "openrouter_key",
            .ai,
            "API key of OpenRouter",
            [.token("sk-or-v1-", .init(.hex, 64))]
        ),
        Detector(
            "langsmith_key",
            .ai,
            "API key of LangSmith",
            Form.tokens(["lsv2_pt_", "lsv2_sk_"], .init(.hex, 32), "_", .init(.hex, 10))
        ),
        Detector(
            "pinecone_key",
            .ai,
            "API key of Pinecone",
            [.token("pcsk_", .init(.word, 50...90))]
        ),
        Detector(
            "elevenlabs_key",
            .ai,
            "API key of ElevenLabs",
            [.token("sk_", .init(.hex, 48))]
        ),
        Detector(
            "nvidia_key",
            .ai,
            "API key of NVIDIA",
            [.token("nvapi-", .init(.base64URL, 60...70))]
        ),
        Detector(
            "wandb_key",
            .ai,
            "API key of Weights & Biases, behind its name",
            Form.values(of: ["wandb"], .init(.hex, 40))
        ),
    ]
}

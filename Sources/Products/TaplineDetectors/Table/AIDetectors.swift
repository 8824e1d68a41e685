// SPDX-License-Identifier: MIT

extension DetectorTable {
    /// Language models and related services.
    static let ai: [Detector] = [
        Detector(
            "openai_key",
            .ai,
            "OpenAI API key, and other keys of the same form",
            Form.tokens(["sk-proj-", "sk-svcacct-", "sk-admin-"], .init(.base64URL, 40...300))
                + [.token("sk-", .init(.alphanumeric, 32...64), entropy: 3.5)]
        ),
        Detector(
            "anthropic_key",
            .ai,
            "Anthropic API key",
            [.token("sk-ant-", .init(.base64URL, 40...200))]
        ),
        Detector(
            "huggingface_token",
            .ai,
            "Hugging Face token",
            Form.tokens(["hf_", "api_org_"], .init(.alphanumeric, 34...40))
        ),
        Detector(
            "replicate_token",
            .ai,
            "Replicate token",
            [.token("r8_", .init(.alphanumeric, 37))]
        ),
        Detector(
            "groq_key",
            .ai,
            "Groq API key",
            [.token("gsk_", .init(.alphanumeric, 52))]
        ),
        Detector(
            "perplexity_key",
            .ai,
            "Perplexity API key",
            [.token("pplx-", .init(.alphanumeric, 40...64))]
        ),
        Detector(
            "xai_key",
            .ai,
            "xAI API key",
            [.token("xai-", .init(.alphanumeric, 60...100))]
        ),
        Detector(
            "openrouter_key",
            .ai,
            "OpenRouter API key",
            [.token("sk-or-v1-", .init(.hex, 64))]
        ),
        Detector(
            "langsmith_key",
            .ai,
            "LangSmith API key",
            Form.tokens(["lsv2_pt_", "lsv2_sk_"], .init(.hex, 32), "_", .init(.hex, 10))
        ),
        Detector(
            "pinecone_key",
            .ai,
            "Pinecone API key",
            [.token("pcsk_", .init(.word, 50...90))]
        ),
        Detector(
            "elevenlabs_key",
            .ai,
            "ElevenLabs API key",
            [.token("sk_", .init(.hex, 48))]
        ),
        Detector(
            "nvidia_key",
            .ai,
            "NVIDIA API key",
            [.token("nvapi-", .init(.base64URL, 60...70))]
        ),
        Detector(
            "wandb_key",
            .ai,
            "Weights & Biases API key, after its name",
            Form.values(of: ["wandb"], .init(.hex, 40))
        ),
    ]
}

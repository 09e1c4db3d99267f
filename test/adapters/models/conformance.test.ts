import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { describe, test } from "vitest"
import { aiSdkModel } from "../../../src/adapters/models/ai-sdk/index.ts"
import { openaiModel } from "../../../src/adapters/models/openai/index.ts"
import { type ConformanceOptions, modelConformance } from "../../support/conformance/model-conformance.ts"
import type { PlayProvider } from "../../support/conformance/stage.ts"
import { playChat, playMockV4, playScripted } from "../../testing/script-players.ts"

const adapters: readonly { name: string; play: PlayProvider; options?: ConformanceOptions }[] = [
  {
    name: "openaiModel in front of a server",
    play: playChat(({ secret, tools }, baseUrl) => openaiModel({ model: "m", apiKey: secret, baseUrl, capabilities: { tools } })),
  },
  {
    name: "aiSdkModel over the package's mock model",
    play: playMockV4((model, { tools }) => aiSdkModel(model, { capabilities: { tools } })),
  },
  {
    name: "aiSdkModel over the real openai-compatible provider in front of a server",
    play: playChat(({ secret, tools }, baseURL) =>
      aiSdkModel(createOpenAICompatible({ name: "local", apiKey: secret, baseURL, includeUsage: true })("m"), {
        capabilities: { tools },
      }),
    ),
    // The package itself makes zeros of what a server leaves out of a report, and does not read pictures.
    options: { without: ["absent-counts", "file"] },
  },
  {
    name: "scriptedModel",
    play: playScripted,
    // It replays chunks and accepts requests without checking either.
    options: { without: ["split-characters", "after-finish"] },
  },
]

describe.each(adapters)("$name keeps the contract of a model", ({ play, options }) => {
  for (const { name, run } of modelConformance(play, options)) test(name, run)
})

import { expect, test } from "vitest"
import { baseStack } from "../../../src/loop/agent/base-stack.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { skillOf } from "../../prompt/layers/skill-of.ts"
import { shown } from "../../support/shown-injection.ts"

test("S13 what every layer of a profile is: who wrote it, its place, and how late it shrinks", () => {
  const layers = { persona: "You are Fay.", format: "Short.", final: { system: "Speak." }, history: { contextCount: 20 } }
  const profile = resolveProfile({ name: "fay", ...layers, variables: { mood: "calm", agent_name: "Own" } })
  const plugins = [{ name: "p", variables: { weather: "mild", mood: "no" } }]
  const skills = [skillOf("cook", { mode: "inline" })]
  const injections = [
    { key: "own", content: "Own." },
    { key: "of_turn", content: "Turn.", scope: "turn" as const },
  ]
  const dialect = shippedDialect("root", "en")
  const base = baseStack(profile, { dialect, skills, plugins, injections })
  expect(base.items().map((item) => `${shown(item)} ${JSON.stringify(item.content)}`)).toMatchInlineSnapshot(`
    [
      "persona: author system global 30 headTail at 100 from 1 | :author {"text":"You are Fay.","trust":"author"}",
      "format: author system global 30 headTail at 80 | :author {"text":"Short.","trust":"author"}",
      "skills: author system global 80 entries at 75 | .content:author [{"content":{"text":"Instructions of cook.","trust":"author","source":{"file":"cook.md","line":5}}}]",
      "final_system: author system global 100 | :author {"text":"Speak.","trust":"author"}",
      "context_count: author system global 100 | :author "39"",
      "supported_formats: author system global 100 | :author "txt, md, csv, json, log, toml, yaml, html, png, jpg, jpeg, gif, webp, svg, mp3, ogg, wav, mp4, webm, pdf, zip"",
      "mood: author system global 100 | :author "calm"",
      "agent_name: author system global 100 | :author "Own"",
      "own: author system global 100 | :author "Own."",
      "of_turn: author system turn 100 | :author "Turn."",
    ]
  `)
})

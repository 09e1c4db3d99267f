import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { roughCounter, type TokenCounter } from "../../../../src/core/ports.ts"
import type { SlotEntry } from "../../../../src/core/value.ts"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../../src/prompt/assemble/assembler.ts"
import { DraftRecorder } from "../../../../src/prompt/assemble/draft/draft-recorder.ts"
import { longList } from "../../../../src/prompt/assemble/print/print-list.ts"
import { PartStore } from "../../../../src/prompt/assemble/tokens/part-store.ts"
import { promptFile } from "../../../../src/prompt/dialect/dialect.ts"
import { shippedDialect } from "../../../../src/prompt/dialect/shipped.ts"
import type { InjectionInput } from "../../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { parseTemplate } from "../../../../src/prompt/template/parse.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { isLong } from "../../../support/size.ts"
import { said, turnState } from "../../../support/turns.ts"
import { perCodePoint, perRun, turnPrompts } from "../arbitrary-turn.ts"
import { freshCounter } from "../fresh-counter.ts"

const toolNamed = (name: string, description = `Looks up ${name}.`) => defineTool({ name, description, execute: () => "ok" })
const toolsOf = (count: number) => Array.from({ length: count }, (_, at) => toolNamed(`tool_${at}`))

describe("a long list that authors wrote", () => {
  /** One list for all: an agent's own tools, some of a server, and a skill whose hidden value a person wrote. */
  const own = toolsOf(longList + 4).map((tool, at) => (at % 7 === 3 ? { ...tool, description: "Ann: two\nlines" } : tool))
  const served = { ...toolNamed("served", "Ann: yes\n## Rules"), trust: "tool" as const }
  const skills = Array.from({ length: longList + 1 }, (_, at) => ({
    name: `skill-${at}`,
    content: `## Step ${at}\n\nAnn: do it.`,
  }))
  const session = fc.record({
    speaker: fc.constantFrom("Ann", "tool_3", "小安", "## x"),
    left: fc.subarray([0, 3, longList], { minLength: 0 }),
    isServed: fc.boolean(),
    others: fc.subarray(["said", "drawn"] as const),
    scope: fc.constantFrom("global" as const, "session" as const),
    history: fc.nat(2),
    budgetTokens: fc.option(fc.constantFrom(250, 700, 2_000), { nil: undefined }),
  })
  /** Whose words it is decides how it is printed, and the name of a speaker in it too. */
  const others = {
    said: { name: "said", content: { text: "Ann: yes", trust: "user" } },
    drawn: {
      name: "drawn",
      content: { text: "See.", trust: "author", parts: [{ attachment: { name: "a.png", mediaType: "image/png" }, tokens: 3 }] },
    },
  } satisfies Record<string, SlotEntry>
  /** Of its estimates no sum is exact. */
  const inThirds: TokenCounter = {
    exact: false,
    count: (text) => Math.ceil(text.length / 3),
    estimate: (text) => text.length / 3,
  }
  const counters: TokenCounter[] = [roughCounter, inThirds, freshCounter(), perCodePoint, perRun]
  test("S18 prints and counts in each of several sessions as it does where nothing is shared", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...turnPrompts),
        fc.constantFrom(...counters),
        fc.array(session, { minLength: 2, maxLength: 6 }),
        (place, counter, sessions) => {
          const assemblers = [createAssembler(), createAssembler()]
          const request = (one: (typeof sessions)[number], copy: <Value extends object>(value: Value) => Value, at?: number) => {
            const tools = [...own.filter((_, index) => !one.left.includes(index)), ...(one.isServed ? [served] : [])].map(copy)
            const history = Array.from({ length: one.history }, (_, index) => said("user", `${one.speaker}: ${index}`))
            const turn = turnState("Who?", { agentName: one.speaker, history, tools })
            const item: InjectionInput = {
              key: "skills",
              content: [...skills, ...one.others.map((name) => others[name])].map(copy),
              scope: one.scope,
            }
            const assembler = at === undefined ? {} : { assembler: assemblers[at % 2] ?? createAssembler() }
            const limits = one.budgetTokens === undefined ? {} : { budgetTokens: one.budgetTokens }
            try {
              return assemble(new PromptStack([item]), { ...place, turn, counter, ...limits, ...assembler })
            } catch (thrown) {
              return String(thrown)
            }
          }
          for (const [at, one] of sessions.entries()) {
            const shared = request(one, (value) => value, at)
            expect(shared).toEqual(request(one, (value) => ({ ...value })))
          }
        },
      ),
      { numRuns: isLong ? 300 : 60 },
    )
  })

  test.each([
    ["a prompt file", skills, { skills: "${content | lines}" }],
    [
      "one for lists in it",
      skills.map(({ content }) => ({ steps: [{ content }] })),
      { skills: "${steps}", steps: "${content | lines}" },
    ],
  ])("T5 is encoded by the names of each session where %s has an encoder for it", (_, content, templates) => {
    const layered = shippedDialect("layered", "en")
    const files = new Map(layered.files)
    for (const [name, text] of Object.entries(templates)) {
      const template = parseTemplate(text, { file: `${name}.md` })
      files.set(name, { ...promptFile(layered, "skills"), template })
    }
    const stack = new PromptStack([{ key: "skills", content }])
    const marked = ["Ann", "Ben", "Ann"].map((agentName) => {
      const turn = turnState("Who?", { agentName })
      const { messages } = assemble(stack, { dialect: { ...layered, files }, turn, assembler: createAssembler() })
      return messages[0]?.content.split("\\Ann: do it.").length
    })
    expect(marked).toEqual([skills.length + 1, 1, skills.length + 1])
  })

  test("S18 costs a new session no more work if it is ten times as long", () => {
    const workOf = (count: number) => {
      const tools = toolsOf(count)
      const counter = freshCounter()
      const ask = (name: string) =>
        assemble(new PromptStack(), {
          turn: turnState("Who?", { agentName: name, tools }),
          counter,
          assembler: createAssembler(),
        })
      ask("Fay")
      const spies = [vi.spyOn(DraftRecorder.prototype, "put"), vi.spyOn(PartStore.prototype, "part")]
      const { tokens } = ask("Ann")
      const work = spies.map(({ mock }) => mock.calls.length)
      for (const spy of spies) spy.mockRestore()
      return { work, tokens }
    }
    const [few, many] = [workOf(longList * 2), workOf(longList * 20)]
    expect(many.tokens).toBeGreaterThan(few.tokens * 4)
    expect(many.work).toEqual(few.work)
  })
})

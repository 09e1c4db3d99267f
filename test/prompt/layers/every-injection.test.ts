import { expect, test } from "vitest"
import { Memo } from "../../../src/core/memo.ts"
import { baseStack } from "../../../src/loop/agent/base-stack.ts"
import { turnSlots } from "../../../src/profile/keys/memory.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { templateNames } from "../../../src/prompt/dialect/dialect.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { cardOf } from "../../../src/prompt/layers/card/card.ts"
import { cardInjections } from "../../../src/prompt/layers/card/card-injections.ts"
import { characterInjections } from "../../../src/prompt/layers/character/character-injections.ts"
import { combineInjections, slotOf } from "../../../src/prompt/layers/combine-injections.ts"
import { loreInjections } from "../../../src/prompt/layers/lorebook/lore-injections.ts"
import type { LoreEntry, LorePosition } from "../../../src/prompt/layers/lorebook/lorebook.ts"
import { promptSlots, promptVariables, turnKeys } from "../../../src/prompt/layers/prompt-names.ts"
import type { InjectionInput } from "../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { shown } from "../../support/shown-injection.ts"
import { filledTurn } from "../assemble/filled-turn.ts"
import { skillOf } from "./skill-of.ts"

const dialect = shippedDialect("layered", "en")

const memo = new Memo()

test("S1 S2 S13 what every injection of a profile, a turn and its layers is: who wrote it, its place and how it shrinks", () => {
  const profile = resolveProfile({
    name: "fay",
    persona: "You are Fay.",
    format: "Short.",
    final: { system: "Speak." },
    variables: { mood: "calm" },
  })
  const base = baseStack(profile, {
    dialect,
    skills: [
      skillOf("cook", { mode: "inline" }),
      skillOf("plan", { path: "skills/plan.md", content: { text: "Plan.", trust: "tool" } }),
    ],
    injections: [
      { key: "own", content: "Own." },
      { key: "of_turn", content: "Turn.", scope: "turn", role: "developer" },
      { key: "of_session", content: "Session.", scope: "session", trust: "user" },
    ],
  })
  const attachment = { name: "a.png", mediaType: "image/png", blob: "b", sizeBytes: 2_000, caption: "A cat." }
  const turn = filledTurn("en", {
    group: true,
    attachments: [attachment],
    fileFaults: [{ written: "b.md", fault: "missing", totalLines: 3 }],
    groupRules: { external: { text: "Read first.", trust: "author" } },
    tools: [defineTool({ name: "read", description: "Reads.", group: "external", execute: () => "" })],
    memories: [{ text: "Tea.", speaker: "Ann", atMs: 0, againAtMs: [86_400_000] }, { text: "Rain." }],
    timeZone: "UTC",
    note: "Be light.",
    fault: "Not read.",
  })
  const woken = { ...turn, wake: { reason: "It is noon.", bubbles: true, workMode: false } }
  const card = cardOf({
    spec: "chara_card_v2",
    data: {
      name: "Fay",
      system_prompt: "Be Fay. {{original}} Stay Fay.",
      personality: "Calm.",
      scenario: "Tea with {{user}}.",
      mes_example: "<START>\n{{user}}: Hi\n<START>\n{{char}}: Hello",
      post_history_instructions: "Short.",
    },
  })
  if (typeof card === "string") throw new Error(card)
  const fill = (text: string) => ({
    text,
    lasts: text.includes("{{user}}") ? ("speaker" as const) : ("conversation" as const),
    hiddenKeys: "",
    unknown: [],
    quotes: false,
  })
  const slots = (names: readonly string[]) => new Set(["character.system", ...names])
  const sheet = { note: { text: "A note.", trust: "author" as const }, traits: [["mood", "calm"]] as const }
  const lore = (id: string, more: Partial<LoreEntry>): LoreEntry =>
    ({ id, text: { text: `${id}.`, trust: "tool" }, keys: [], order: 100, ...more }) as LoreEntry
  const sections: Readonly<Record<string, readonly InjectionInput[]>> = {
    profile: base.items(),
    turn: combineInjections(base, turn, { dialect, memo }).injections,
    wake: combineInjections(new PromptStack(), woken, { dialect, memo }).injections,
    card: cardInjections({ card, slots: slots(["character.system_before"]), fill }),
    "card in a group, in a dialect without the slots": cardInjections({ card, slots: slots([]), fill }),
    character: characterInjections({
      state: { sheet, changes: [["mood", "glad"]] },
      relationship: { sheet, changes: [["trust", "high"]], speaker: "Ann" },
      worldBook: [lore("Sea", { title: "The sea", order: 3 }), lore("Hill", { order: 7 })],
      reactionPlan: { text: "Comfort.", trust: "agent" },
    }),
  }
  const rows = Object.entries(sections).flatMap(([name, given]) => [`── ${name}`, ...given.map(shown)])
  expect(rows.join("\n")).toMatchInlineSnapshot(`
    "── profile
    persona: author system global 30 headTail at 100 from 1 | :author
    format: author system global 30 headTail at 80 | :author
    skills: author system global 80 entries at 75 | .content:author .skill_outline.name:tool .skill_outline.description:tool .skill_outline.path:tool
    final_system: author system global 100 | :author
    mood: author system global 100 | :author
    own: author system global 100 | :author
    of_turn: author developer turn 100 | :author
    of_session: user system session 100 | :user
    ── turn
    persona: author system global 30 headTail at 100 from 1 | :author
    format: author system global 30 headTail at 80 | :author
    skills: author system global 80 entries at 75 | .content:author .skill_outline.name:tool .skill_outline.description:tool .skill_outline.path:tool
    final_system: author system global 100 drop at 80 | :author
    mood: author system global 100 drop at 80 | :author
    own: author system global 100 drop at 80 | :author
    of_turn: author developer turn 100 drop at 30 | :author
    of_session: user system session 100 drop at 60 | :user
    question: user system turn 100 | .speaker:user .text:user .group! .files.reference:user .files.image! .files.media_type:user .files.size:author .files.caption:tool
    history: user system turn 100 entries at 10 | .role:user .group! .speaker:user .text:user .prestart.tool:tool .prestart.result:tool .own! .speaker:author .text:agent
    memories: memory system turn 60 entries at 20 by 0,-1 | .text:memory .speaker:memory .time:memory
    prestart: tool system turn 100 entries at 40 | .tool:tool .arguments:tool .result:tool
    tools: author system session as session 80 entries at 70 | .name:author .description:author
    tool_groups: author system session as session 80 entries at 70 | .external! .rules:author
    file_faults: agent system turn 100 entries at 40 | .missing! .file:agent .total:author
    runs: tool system turn 100 entries at 5 from 1 | .tool:agent .arguments:agent .result:tool .failed! .sentence:author .block:tool
    steps: tool system turn 100 entries at 5 from 1 | .role:tool .call:agent .answers! .tool:agent .arguments:agent .result:tool .failed! .sentence:author .notice:agent .block:tool
    note: agent system turn 100 | :agent
    fault: agent system turn 100 | :agent
    ── wake
    question: – – – 0 | 
    wake: author system turn 100 entries at 100 from 1 | .reason:tool .bubbles!
    history: user system turn 100 entries at 10 | .role:user .group! .speaker:user .text:user .prestart.tool:tool .prestart.result:tool .own! .speaker:author .text:agent
    memories: memory system turn 60 entries at 20 by 0,-1 | .text:memory .speaker:memory .time:memory
    prestart: tool system turn 100 entries at 40 | .tool:tool .arguments:tool .result:tool
    tools: author system session as session 80 entries at 70 | .name:author .description:author
    tool_groups: author system session as session 80 entries at 70 | .external! .rules:author
    file_faults: agent system turn 100 entries at 40 | .missing! .file:agent .total:author
    runs: tool system turn 100 entries at 5 from 1 | .tool:agent .arguments:agent .result:tool .failed! .sentence:author .block:tool
    steps: tool system turn 100 entries at 5 from 1 | .role:tool .call:agent .answers! .tool:agent .arguments:agent .result:tool .failed! .sentence:author .notice:agent .block:tool
    note: agent system turn 100 | :agent
    fault: agent system turn 100 | :agent
    ── card
    character.system_before: author system turn as session 30 headTail at 95 | :tool
    character.system_after: author system turn as session 30 headTail at 95 | :tool
    character.personality: author system turn as session 31 headTail at 91 | :tool
    character.scenario: author system turn as session 32 headTail at 90 | :tool
    character.examples: author system turn as session 33 entries at 8 | .text:tool
    character.post_history: author system turn as session 95 headTail at 66 | :tool
    ── card in a group, in a dialect without the slots
    character.system: author system turn as session 30 headTail at 95 | :tool
    character.personality: author system turn as session 31 headTail at 91 | :tool
    character.scenario: author system turn as session 32 headTail at 90 | :tool
    character.examples: author system turn as session 33 entries at 8 | .text:tool
    character.post_history: author system turn as session 95 headTail at 66 | :tool
    ── character
    character.runtime_state: author system turn 40 entries at 60 by 1,0 | .note:author .name:author .value:agent
    character.relationship: author system turn 50 entries at 55 by 1,1,0,0 | .note:author .speaker:user .name:author .value:author .name:agent .value:agent
    world_book: author system turn 65 entries at 30 by -3,-7 | .title:author .text:tool
    character.reaction_plan: author system turn as session 90 headTail at 65 | :agent"
  `)
})

test("C14 C20 the slot, the rank and the priority of lore at each position, at its own place and behind the history", () => {
  const positions: readonly (LorePosition | undefined)[] = [
    undefined,
    ...(
      [
        "beforeCharacter",
        "afterCharacter",
        "personality",
        "scenario",
        "beforeExamples",
        "afterExamples",
        "noteTop",
        "noteBottom",
      ] as const
    ).map((at) => ({ at })),
    ...[0, 1, 2, 5].map((depth) => ({ at: "depth" as const, depth, fromStart: false, role: "user" as const })),
    { at: "depth", depth: 0, fromStart: true, role: "system" },
    { at: "outlet", name: "x".repeat(40) },
    { at: "outlet", name: "x".repeat(41) },
    { at: "outlet", name: "a b" },
  ]
  const always = { constant: true } as const
  const kinds: readonly Partial<LoreEntry>[] = [
    {},
    { text: { text: "Own.", trust: "author" } },
    always,
    ...[
      { probability: 99 },
      { delay: 1 },
      { cooldown: 1 },
      { groups: ["g"] },
      { delayUntilRecursion: 1 },
      { conditions: {} },
    ].map((more) => ({ ...always, ...more })),
    { conditions: { force: "always" } },
  ]
  const kindsOf = new Map<string, string[]>()
  for (const place of ["end", "card"] as const)
    for (const kind of kinds) {
      const placed = positions.map((position, at) => ({
        entry: {
          id: `${at}`,
          keys: [],
          order: 100 - at,
          text: { text: "x", trust: "tool" },
          ...kind,
          ...(position && { position }),
        } as unknown as LoreEntry,
        text: { text: "x", trust: "tool" as const },
        name: `n${at}`,
        scope: "turn" as const,
      }))
      const made = loreInjections(placed, place)
      const keys = placed.map(({ entry }) => made.get(entry)?.key.replace(/\/n\d+$/, "")).join(" ")
      kindsOf.set(keys, [...(kindsOf.get(keys) ?? []), `${place} ${JSON.stringify(kind)}`])
    }
  expect([...kindsOf].map(([keys, own]) => `${own.join("; ")}:\n  ${keys}`).join("\n")).toMatchInlineSnapshot(`
    "end {}; end {"constant":true,"probability":99}; end {"constant":true,"delay":1}; end {"constant":true,"cooldown":1}; end {"constant":true,"groups":["g"]}; end {"constant":true,"delayUntilRecursion":1}; end {"constant":true,"conditions":{}}:
      lorebook lorebook lorebook lorebook lorebook lorebook lorebook lorebook.note lorebook.note lorebook.last lorebook.depth/1.user lorebook lorebook lorebook outlet.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx lorebook lorebook
    end {"text":{"text":"Own.","trust":"author"}}:
      lorebook lorebook.before lorebook.after lorebook.after lorebook.after lorebook.examples_top lorebook.examples_bottom lorebook.note lorebook.note lorebook.last lorebook.depth/1.user lorebook.depth/2.user lorebook.depth/5.user lorebook.depth/-1.system outlet.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx lorebook.after lorebook.after
    end {"constant":true}; end {"conditions":{"force":"always"}}:
      lorebook.after lorebook.before lorebook.after lorebook.after lorebook.after lorebook.examples_top lorebook.examples_bottom lorebook.note lorebook.note lorebook.last lorebook.depth/1.user lorebook lorebook lorebook outlet.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx lorebook.after lorebook.after
    card {}; card {"text":{"text":"Own.","trust":"author"}}; card {"constant":true}; card {"constant":true,"probability":99}; card {"constant":true,"delay":1}; card {"constant":true,"cooldown":1}; card {"constant":true,"groups":["g"]}; card {"constant":true,"delayUntilRecursion":1}; card {"constant":true,"conditions":{}}; card {"conditions":{"force":"always"}}:
      lorebook.after lorebook.before lorebook.after lorebook.after lorebook.after lorebook.examples_top lorebook.examples_bottom lorebook.note lorebook.note lorebook.last lorebook.depth/1.user lorebook.depth/2.user lorebook.depth/5.user lorebook.depth/-1.system outlet.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx lorebook.after lorebook.after"
  `)
  const placed = [3, 1, 2].map((order) => ({
    entry: { id: `${order}`, keys: [], order, text: { text: "x", trust: "tool" } } as unknown as LoreEntry,
    text: { text: "x", trust: "tool" as const },
    name: `${order}`,
    scope: "session" as const,
  }))
  expect([...loreInjections(placed, "card").values()].map(shown)).toMatchInlineSnapshot(`
    [
      "lorebook.after/3: author system turn 65 drop at 30.666666666666668 | :tool",
      "lorebook.after/1: author system turn 65.33333333333333 drop at 30 | :tool",
      "lorebook.after/2: author system turn 65.66666666666667 drop at 30.333333333333332 | :tool",
    ]
  `)
})

test("S1 the names of the turn's slots: which share no slot, which only a turn fills, and which a profile cannot leave out", () => {
  const inPrompts = new Set<string>()
  for (const name of ["fay", "layered", "soul", "stack", "stack-cached", "root", "tavern"])
    for (const { template, omit } of shippedDialect(name, "en").files.values())
      for (const one of [...templateNames(template.nodes).all, ...omit]) inPrompts.add(one)
  for (const name of promptSlots) {
    expect(inPrompts.has(name), `${name} stands in a shipped prompt`).toBe(true)
    expect(slotOf(`${name}/x`)).toBe(`${name}/x`)
  }
  for (const name of ["lorebook", "mood", "world_book"]) expect(slotOf(`${name}/x/y`)).toBe(name)
  for (const name of promptVariables) expect(slotOf(`${name}/x`)).toBe(name)
  const given = combineInjections(
    new PromptStack(),
    filledTurn("en", { wake: { reason: "Noon.", bubbles: true, workMode: true } }),
    { dialect, memo },
  ).injections
  for (const { key } of given) expect(promptSlots.some((slot) => slot === key) || key === "tool_parameters", key).toBe(true)
  // Only the turn fills these, so an item of the stack is left out.
  const stack = new PromptStack(promptSlots.map((key) => ({ key, content: "Mine." })))
  const left = combineInjections(stack, filledTurn("en"), { dialect, memo }).injections.filter(({ enabled }) => !enabled)
  expect(left.map(({ key }) => key)).toEqual([...turnKeys])
  expect([...promptSlots, "tool_parameters"].filter((name) => !turnSlots.includes(name))).toEqual([
    "memories",
    "prestart",
    "file_faults",
  ])
})

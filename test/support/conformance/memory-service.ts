import type { ServiceKey } from "../../../src/core/conversation.ts"
import type { MemoryService, NewMemory } from "../../../src/memory/services/memory/memory-service.ts"
import { claim, claimEqual } from "../../../src/testing/conformance/claims.ts"
import {
  keyOf,
  type OpenedService,
  type Rules,
  runRules,
  type ServiceCheck,
} from "../../../src/testing/conformance/store/samples.ts"

const signal = new AbortController().signal

function newMemory(id: string, text: string, key: ServiceKey, rest: Partial<NewMemory> = {}): NewMemory {
  const speaker = { id: key.user, name: key.user }
  return { id, kind: "dialogue", text, speaker, atMs: 1_000, turnId: `turn ${id}`, turn: 0, importance: 6, ...rest }
}

async function recalled(service: MemoryService, query: string, key: ServiceKey, limit = 10): Promise<string[]> {
  return (await service.recall(query, key, { limit, signal })).map(({ id }) => id)
}

/** The rules of a memory service, as tests. Each test opens a service of its own. */
export function memoryServiceConformance(open: () => Promise<OpenedService<MemoryService>>): readonly ServiceCheck[] {
  return runRules<MemoryService>("memory service", memoryServiceRules, open)
}

const memoryServiceRules: Rules<MemoryService> = {
  async "what was remembered is recalled by its words, with its text, and no more than asked for"({ service, agent }) {
    const key = keyOf(agent)
    await service.remember(newMemory("tea", "I drink green tea in the morning", key), key)
    await service.remember(newMemory("cats", "my two cats sleep all day", key, { atMs: 2_000 }), key)
    const [first] = await service.recall("what tea do I drink?", key, { limit: 5, signal })
    claimEqual([first?.id, first?.text], ["tea", "I drink green tea in the morning"], "the best memory for tea")
    claimEqual((await recalled(service, "cats", key))[0], "cats", "the best memory for cats")
    claim((await recalled(service, "tea cats", key, 1)).length === 1, "one memory where one was asked for", "more")
    claimEqual(await recalled(service, "tea", key, 0), [], "no memories where none were asked for")
  },
  async "the same text of the same user is kept once, however it is written; a known id too"({ service, agent }) {
    const key = keyOf(agent)
    const remember = (id: string, text: string) => service.remember(newMemory(id, text, key), key)
    claimEqual(await remember("a", "I like green tea."), { status: "stored", id: "a" }, "the first")
    claimEqual(await remember("b", "i  like GREEN tea!"), { status: "duplicate", id: "a" }, "the same in other letters")
    claimEqual(await remember("a", "something else"), { status: "duplicate", id: "a" }, "a known id")
    claimEqual(
      (await service.recent(key, 9)).map(({ id }) => id),
      ["a"],
      "what is kept",
    )
  },
  async "what was superseded is recalled no more, and stays to be looked at"({ service, agent }) {
    const key = keyOf(agent)
    await service.remember(newMemory("old", "I live in Hangzhou", key), key)
    await service.remember(newMemory("new", "I live in Beijing now", key, { supersedes: ["old"], atMs: 2_000 }), key)
    claimEqual(await recalled(service, "where do I live? Hangzhou?", key), ["new"], "what is recalled")
    claimEqual(
      (await service.recent(key, 9)).map(({ id }) => id),
      ["new"],
      "what holds",
    )
    claimEqual((await service.get("old", key))?.supersededBy, "new", "what became of the old one")
  },
  async "a key recalls what it may see and nothing else"({ service, agent }) {
    const ann = keyOf(agent)
    const group = keyOf(agent, { audience: "group", conversation: "club" })
    await service.remember(newMemory("secret", "my secret is tea", ann), ann)
    await service.remember(newMemory("aloud", "I drink tea here", group), group)
    const keys: readonly (readonly [ServiceKey, readonly string[]])[] = [
      [ann, ["aloud", "secret"]],
      [group, ["aloud"]],
      [{ ...group, user: "bob" }, ["aloud"]],
      [keyOf(agent, { user: "bob" }), []],
      [{ ...group, conversation: "pub" }, []],
      [keyOf(`${agent} 2`), []],
    ]
    for (const [key, ids] of keys) {
      claimEqual((await recalled(service, "tea", key)).sort(), ids, `what ${JSON.stringify(key)} recalls`)
      claimEqual((await service.recent(key, 9)).map(({ id }) => id).sort(), ids, `what is recent for ${JSON.stringify(key)}`)
      claimEqual(
        (await service.get("secret", key))?.id,
        ids.includes("secret") ? "secret" : undefined,
        `the secret for ${JSON.stringify(key)}`,
      )
    }
  },
}

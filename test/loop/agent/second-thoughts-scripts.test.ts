import fc from "fast-check"
import { expect, test } from "vitest"
import type { Session } from "../../../src/loop/agent/session.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"
import { runs } from "../../support/size.ts"

const acts = ["send", "send", "edit", "edit answer", "regenerate", "choose", "rewind", "clear", "fork"] as const
interface Step {
  readonly act: (typeof acts)[number]
  readonly at: number
}

/** A turn as the oracle knows it: two texts behind another turn. */
interface Node {
  readonly words: string
  readonly answer: string
  readonly before: Node | undefined
  readonly children: Node[]
}

/** A conversation as a tree of turns, of which the history is the path to `end`. */
class Oracle {
  readonly nodes: Node[] = []
  end: Node | undefined

  path(): Node[] {
    const path: Node[] = []
    for (let node = this.end; node; node = node.before) path.unshift(node)
    return path
  }

  say(words: string, answer: string, before: Node | undefined): void {
    this.end = { words, answer, before, children: [] }
    before?.children.push(this.end)
    this.nodes.push(this.end)
  }

  choose(node: Node): void {
    if (this.path().includes(node)) return
    this.end = node
    for (let next = node.children.at(-1); next; next = next.children.at(-1)) this.end = next
  }

  texts(): string[] {
    return this.path().flatMap(({ words, answer }) => [words, answer])
  }
}

test("any script of second thoughts leaves the conversation that a plain tree leaves", async () => {
  const step = fc.record({ act: fc.constantFrom(...acts), at: fc.nat(20) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (script) => {
      let count = 0
      const model = backgroundModel({ turn: () => finish(`answer number ${count}`) })
      const { agent, session } = testAgent(model, { memory: { enabled: false } }, { store: createInMemoryStore() })
      await play(script, { agent, session, next: () => `answer number ${++count}` })
      await agent.close()
    }),
    { numRuns: runs(40) },
  )
})

interface Stage {
  readonly agent: { session(name: string): Session }
  readonly session: Session
  readonly next: () => string
}

async function play(script: readonly Step[], { agent, session: first, next }: Stage): Promise<void> {
  let session = first
  let oracle = new Oracle()
  const left: [Session, string[]][] = []
  for (const [index, { act, at }] of script.entries()) {
    const words = `words ${index}`
    const path = oracle.path()
    const node = path[at % Math.max(1, path.length)]
    const shown = await session.history({ limit: 100 })
    const message = shown[(at % Math.max(1, path.length)) * 2]
    if (act === "send") {
      oracle.say(words, next(), oracle.end)
      await session.send(words).result
    } else if (act === "clear") {
      oracle.end = undefined
      await session.clear()
    } else if (act === "fork") {
      if (path.length === 0) continue
      left.push([session, oracle.texts()])
      const copy = new Oracle()
      for (const { words, answer } of path) copy.say(words, answer, copy.end)
      await session.fork(`fork ${index}`)
      session = agent.session(`fork ${index}`)
      oracle = copy
    } else if (node === undefined || message === undefined) continue
    else if (act === "edit") {
      oracle.say(words, next(), node.before)
      await (await session.edit(message.id, words))?.result
    } else if (act === "edit answer") {
      oracle.say(node.words, words, node.before)
      await session.edit(`${message.turnId}:1`, words)
    } else if (act === "regenerate") {
      oracle.say(path.at(-1)?.words ?? "", next(), path.at(-1)?.before)
      await session.regenerate().result
    } else if (act === "rewind") {
      oracle.end = node
      await session.rewind(at % 2 ? message.id : message.turnId)
    } else {
      const alternatives = shown.flatMap(({ alternatives = [] }) => alternatives)
      const chosen = alternatives[at % Math.max(1, alternatives.length)]
      const [asked, answered] = chosen?.messages ?? []
      const wanted = oracle.nodes.find(({ words, answer }) => words === asked?.text && answer === answered?.text)
      if (chosen === undefined || wanted === undefined) continue
      oracle.choose(wanted)
      await session.choose(chosen.turnId)
    }
    expect((await session.history({ limit: 100 })).map(({ text }) => text)).toEqual(oracle.texts())
  }
  for (const [other, texts] of left) expect((await other.history({ limit: 100 })).map(({ text }) => text)).toEqual(texts)
}

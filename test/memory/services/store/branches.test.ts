import fc from "fast-check"
import { expect, test } from "vitest"
import {
  movesBehind,
  type PlacedMessage,
  renumbered,
  turnsOf,
  type WholeMessage,
  withoutMessages,
} from "../../../../src/memory/services/store/branches.ts"
import { runs, seedOf } from "../../../support/size.ts"

const key = { agent: "fay", conversation: "talk", audience: "private" } as const

/** A message of a tree, with the one that it follows. */
interface Node {
  readonly position: number
  readonly turnId: string
  readonly parent: Node | undefined
}

/** A session of some turns, each behind any message so far, as a tree, and as its messages are written when the history ends at `end`. */
const anySession = fc
  .record({
    turns: fc.array(fc.record({ after: fc.nat(), messages: fc.integer({ min: 1, max: 3 }) }), { minLength: 1, maxLength: 7 }),
    end: fc.nat(),
    gap: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ turns, end, gap }) => {
    const nodes: Node[] = []
    const ends: Node[] = []
    for (const [at, { after, messages }] of turns.entries()) {
      let parent: Node | undefined = [undefined, ...ends][after % (ends.length + 1)]
      for (let count = 0; count < messages; count++) {
        parent = { position: nodes.length * gap, turnId: `t${at}`, parent }
        nodes.push(parent)
      }
      ends.push(parent as Node)
    }
    const last = [undefined, ...ends][end % (ends.length + 1)]
    return { nodes, ends, written: writtenUnder(nodes, last) }
  })

function pathTo(end: Node | undefined): readonly Node[] {
  return end === undefined ? [] : [...pathTo(end.parent), end]
}

function writtenUnder(nodes: readonly Node[], end: Node | undefined): readonly PlacedMessage[] {
  const history = new Set(pathTo(end))
  return nodes.map((node) => {
    const { position, turnId, parent } = node
    return { position, turnId, follows: history.has(node) ? undefined : (parent?.position ?? -1) }
  })
}

const settings = { numRuns: runs(2_000), seed: seedOf(41) }

test("a history that ends behind another turn is that turn's path through the tree; the rest names what it follows", () => {
  fc.assert(
    fc.property(anySession, fc.nat(), ({ nodes, ends, written }, chosen) => {
      const end = [undefined, ...ends][chosen % (ends.length + 1)]
      const { leaving, returning } = movesBehind(key, { after: end?.turnId ?? null, append: [] }, written)
      const changed = new Map<number, PlacedMessage>([
        ...leaving.map((message) => [message.position, message] as const),
        ...returning.map((message) => [message.position, { ...message, follows: undefined }] as const),
      ])
      const after = written.map((message) => changed.get(message.position) ?? message)
      expect(after).toEqual(writtenUnder(nodes, end))
    }),
    settings,
  )
})

test("without some messages the others follow the nearest one before them that is left", () => {
  fc.assert(
    fc.property(anySession, fc.array(fc.boolean(), { minLength: 21, maxLength: 21 }), ({ nodes, written }, gone) => {
      const isGone = ({ position }: PlacedMessage) => gone[written.findIndex((one) => one.position === position)] ?? false
      const left = withoutMessages(written, isGone)
      const nearest = (node: Node | undefined): Node | undefined =>
        node !== undefined && isGone({ ...node, follows: undefined }) ? nearest(node.parent) : node
      const expected = nodes.flatMap((node, at) => {
        const { position, turnId, follows } = written[at] as PlacedMessage
        const behind = follows === undefined ? undefined : (nearest(node.parent)?.position ?? -1)
        return gone[at] ? [] : [{ position, turnId, follows: behind }]
      })
      expect(left).toEqual(expected)
      const place = (position: number) => (position < 0 ? -1 : expected.findIndex((one) => one.position === position))
      expect(renumbered(left)).toEqual(
        expected.map(({ turnId, follows }, at) => ({
          position: at,
          turnId,
          follows: follows === undefined ? undefined : place(follows),
        })),
      )
    }),
    settings,
  )
})

test("the turns of a session are those of the tree, each with the turn that it follows", () => {
  fc.assert(
    fc.property(anySession, ({ nodes, written }) => {
      const said = (node: Node) => ({ text: `${node.position}` }) as WholeMessage["message"]
      const whole = written.map((message, at) => ({ ...message, message: said(nodes[at] as Node) }))
      const expected = [...Map.groupBy(nodes, ({ turnId }) => turnId)].map(([turnId, own]) => ({
        turnId,
        parent: own[0]?.parent?.turnId,
        isAside: written.find((message) => message.turnId === turnId)?.follows !== undefined,
        messages: own.map(said),
      }))
      const turns = turnsOf(whole)
      expect(turns).toEqual(expected)
      expect([turns, ...turns.map(({ messages }) => messages)].every(Object.isFrozen)).toBe(true)
    }),
    settings,
  )
})

test("a commit behind a turn that is not there, or to one that is, is refused", () => {
  const written = [{ position: 0, turnId: "t0", follows: undefined }]
  const message = (turnId: string) => ({ role: "user", text: "", speaker: { id: "u", name: "U" }, turnId, atMs: 0 }) as const
  const told = (after: string | null, ...turnIds: string[]) => {
    try {
      return movesBehind(key, { after, append: turnIds.map(message) }, written).leaving.length
    } catch (error) {
      const { code, evidence, message, hint } = error as Record<string, unknown>
      return { code, evidence, message, hint }
    }
  }
  expect([told("t0"), told(null, "t1"), told("t1"), told(null, "t1", "t0")]).toMatchInlineSnapshot(`
    [
      0,
      1,
      {
        "code": "usage",
        "evidence": {
          "turnId": "t1",
        },
        "hint": "Nothing was written. \`branches\` lists the session's turns; this one may have been forgotten.",
        "message": "expected \`after\` to name a turn of session "talk" of agent "fay", found "t1", which it does not have.
    Nothing was written. \`branches\` lists the session's turns; this one may have been forgotten.",
      },
      {
        "code": "usage",
        "evidence": {
          "turnId": "t0",
        },
        "hint": "Nothing was written. Give the turn an id of its own; the turns of all branches keep theirs.",
        "message": "expected the messages of a commit with \`after\` to begin a new turn, found turn "t0", which session "talk" of agent "fay" has already.
    Nothing was written. Give the turn an id of its own; the turns of all branches keep theirs.",
      },
    ]
  `)
})

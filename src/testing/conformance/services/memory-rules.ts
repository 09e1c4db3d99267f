import type { Store } from "../../../services/store/store.ts"
import { claimEqual, claimRejects } from "./equal-json.ts"
import { keep, keyOf, memoryOf } from "./samples.ts"
import type { Rule } from "./service-check.ts"

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)

/** Rules of keeping memories. */
export const memoryRules: readonly Rule<Store>[] = [
  {
    name: "a memory comes back as it was kept; the newest that hold come by time, then by id",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      const whole = memoryOf("c", key, { atMs: 5, importance: 7, sources: ["a"], untrusted: true, turn: 3, kind: "insight" })
      await keep(service, key, whole, memoryOf("b", key, { atMs: 9 }), memoryOf("a", key, { atMs: 9, kind: "note" }))
      claimEqual(await service.memories.get("c", key), whole, "the memory")
      claimEqual(idsOf(await service.memories.recent(key, { limit: 9 })), ["c", "a", "b"], "the recent ones")
      claimEqual(idsOf(await service.memories.recent(key, { limit: 2 })), ["a", "b"], "the newest two")
      claimEqual(
        idsOf(await service.memories.recent(key, { limit: 9, kinds: ["note", "insight"] })),
        ["c", "a"],
        "those of two kinds",
      )
      claimEqual(await service.memories.get("none", key), undefined, "an unknown one")
    },
  },
  {
    name: "a known id and a hash that holds are kept once; another user, audience or group has its own",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      const put = (id: string, at: typeof key, hash = "same") => service.memories.put(memoryOf(id, at), { hash, key: at })
      const group = keyOf(agent, { audience: "group" })
      claimEqual(await put("a", key), { stored: true, id: "a" }, "the first")
      claimEqual(await put("a", key, "other"), { stored: false, id: "a" }, "a known id")
      claimEqual(await put("b", key), { stored: false, id: "a" }, "a known hash")
      claimEqual(
        await put("c", keyOf(agent, { conversation: "elsewhere" })),
        { stored: false, id: "a" },
        "a known hash in another private talk",
      )
      for (const [id, other] of [
        ["d", keyOf(agent, { user: "bob" })],
        ["e", group],
        ["f", { ...group, conversation: "another group" }],
        ["g", { ...group, user: "bob" }],
      ] as const)
        claimEqual(await put(id, other), { stored: true, id }, `a hash known elsewhere, for ${id}`)
      const other = keyOf(`${agent} 2`)
      claimEqual(await put("a", other), { stored: true, id: "a" }, "an id that another agent has")
      claimEqual(idsOf(await service.memories.recent(key, { limit: 9 })).sort(), ["a", "e", "f"], "all of the user's")
    },
  },
  {
    name: "what is superseded stays as history, is not recent, and may be said anew",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      const group = keyOf(agent, { audience: "group" })
      await keep(service, key, memoryOf("old", key))
      await keep(service, group, memoryOf("in the group", group))
      const supersedes = ["old", "in the group", "unknown"]
      await service.memories.put(memoryOf("new", key), { hash: "new", supersedes, key })
      claimEqual((await service.memories.get("old", key))?.supersededBy, "new", "what took the old one's place")
      claimEqual((await service.memories.get("in the group", key))?.supersededBy, undefined, "what was said in a group")
      claimEqual(idsOf(await service.memories.recent(key, { limit: 9 })).sort(), ["in the group", "new"], "what holds")
      const again = await service.memories.put(memoryOf("old again", key), { hash: "hash of old", key })
      claimEqual(again.stored, true, "keeping again what was superseded")
    },
  },
  {
    name: "a memory that is not its key's own is refused",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      for (const rest of [{ user: "bob" }, { conversation: "other" }, { audience: "group" as const }, { agent: "other" }]) {
        const put = () => service.memories.put(memoryOf("a", { ...key, ...rest }), { hash: "h", key })
        await claimRejects(put, "usage", `a memory of ${JSON.stringify(rest)}`)
      }
      claimEqual(await service.memories.recent(key, { limit: 9 }), [], "what is kept")
    },
  },
  {
    name: "changes are read once, in their order, in pages, with what was superseded later",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      await keep(service, key, memoryOf("a", key), memoryOf("b", key), memoryOf("c", key))
      const first = await service.memories.changes(key, { limit: 2 })
      claimEqual([idsOf(first.memories), first.reset], [["a", "b"], false], "the first page")
      const second = await service.memories.changes(key, { after: first.cursor, limit: 2 })
      claimEqual(idsOf(second.memories), ["c"], "the second page")
      await service.memories.put(memoryOf("d", key), { hash: "d", supersedes: ["a"], key })
      const third = await service.memories.changes(key, { after: second.cursor, limit: 9 })
      claimEqual(idsOf(third.memories).sort(), ["a", "d"], "what changed since")
      claimEqual(third.memories.find(({ id }) => id === "a")?.supersededBy, "d", "the superseded one")
      const last = await service.memories.changes(key, { after: third.cursor, limit: 9 })
      claimEqual([last.memories, last.reset, last.cursor], [[], false, third.cursor], "reading on when nothing changed")
    },
  },
  {
    name: "whoever reads along reads anew once something was deleted",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      const other = keyOf(agent, { conversation: "other" })
      await keep(service, key, memoryOf("a", key))
      await keep(service, other, memoryOf("b", other))
      const { cursor } = await service.memories.changes(key, { limit: 9 })
      await service.forget({ agent, conversation: "talk" })
      const changes = await service.memories.changes(key, { after: cursor, limit: 9 })
      claimEqual([changes.reset, idsOf(changes.memories)], [true, ["b"]], "the changes after a deletion")
      const next = await service.memories.changes(key, { after: changes.cursor, limit: 9 })
      claimEqual([next.reset, next.memories], [false, []], "the changes after those")
    },
  },
]

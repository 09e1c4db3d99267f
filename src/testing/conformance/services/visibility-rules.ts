import type { ServiceKey } from "../../../core/keys.ts"
import type { StoredMemory } from "../../../services/store/records.ts"
import type { Store } from "../../../services/store/store.ts"
import { seededRandom } from "../../deterministic.ts"
import { claim } from "../claims.ts"
import { claimEqual } from "./equal-json.ts"
import { keep, keyOf, memoryOf } from "./samples.ts"
import type { Rule } from "./service-check.ts"

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id).sort()

/** Rules of who sees what. */
export const visibilityRules: readonly Rule<Store>[] = [
  {
    name: "what was said in private is seen by its user alone, what was said in a group by the group and its user",
    async verify({ service, agent }) {
      const ann = keyOf(agent)
      const group = keyOf(agent, { audience: "group", conversation: "club" })
      const bobThere = { ...group, user: "bob" }
      await keep(service, ann, memoryOf("secret", ann))
      await keep(service, group, memoryOf("ann aloud", group))
      await keep(service, bobThere, memoryOf("bob aloud", bobThere))
      const seen: readonly (readonly [string, ServiceKey, readonly string[]])[] = [
        ["Ann in private", ann, ["ann aloud", "secret"]],
        ["Ann in the group", group, ["ann aloud", "bob aloud"]],
        ["Bob in the group", bobThere, ["ann aloud", "bob aloud"]],
        ["Bob in private", keyOf(agent, { user: "bob" }), ["bob aloud"]],
        ["another group", { ...group, conversation: "pub" }, []],
        ["a private talk named like the group", keyOf(agent, { conversation: "club", user: "cleo" }), []],
        ["another agent", keyOf(`${agent} 2`), []],
      ]
      for (const [who, key, ids] of seen) {
        const { memories } = service
        claimEqual(idsOf(await memories.recent(key, { limit: 9 })), ids, `what ${who} sees`)
        claimEqual(idsOf((await memories.changes(key, { limit: 9 })).memories), ids, `the changes ${who} sees`)
        claimEqual(idsOf(await memories.withoutVector("m", key, 9)), ids, `what has no vector for ${who}`)
        for (const id of ["secret", "ann aloud", "bob aloud"])
          claimEqual((await memories.get(id, key))?.id, ids.includes(id) ? id : undefined, `${id} for ${who}`)
      }
    },
  },
  {
    name: "vectors are kept by model to the last bit, and reach nobody who does not see their memory",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      const stranger = keyOf(agent, { user: "bob" })
      const bits = Float32Array.of(0.1, -0, 1e-45, 3.4028234663852886e38, Number.NaN, Number.NEGATIVE_INFINITY)
      await keep(service, key, memoryOf("a", key), memoryOf("b", key, { atMs: 2_000 }))
      const { cursor } = await service.memories.changes(key, { limit: 9 })
      const vector = { memoryId: "a", model: "m", values: bits }
      await service.memories.putVectors([vector, { memoryId: "unknown", model: "m", values: bits }], key)
      await service.memories.putVectors([{ memoryId: "b", model: "m", values: bits }], stranger)
      const [found, ...more] = await service.memories.vectors(["b", "unknown", "a"], "m", key)
      claim(found?.memoryId === "a" && more.length === 0, "the vector of `a` alone", [found?.memoryId, more.length])
      claim(found.values.length === bits.length && found.values.every((value, at) => Object.is(value, bits[at])), "every bit", [
        ...found.values,
      ])
      claimEqual(
        idsOf((await service.memories.changes(key, { after: cursor, limit: 9 })).memories),
        ["a"],
        "what changed by its vector",
      )
      claimEqual(await service.memories.vectors(["a"], "m", stranger), [], "a stranger's look at the vector")
      claimEqual(await service.memories.vectors(["a"], "another model", key), [], "the vector of another model")
      claimEqual(idsOf(await service.memories.withoutVector("m", key, 9)), ["b"], "what has no vector yet")
      await service.memories.putVectors(
        [
          { ...vector, values: Float32Array.of(2) },
          { ...vector, memoryId: "b" },
        ],
        key,
      )
      const order = (await service.memories.vectors(["b", "a"], "m", key)).map(({ memoryId, values }) => [
        memoryId,
        values.length,
      ])
      claimEqual(
        order,
        [
          ["b", bits.length],
          ["a", 1],
        ],
        "the vectors in the order asked for",
      )
    },
  },
  {
    name: "no read of any key ever yields a foreign row",
    async verify({ service, agent }) {
      const random = seededRandom(7)
      const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0]
      const anyKey = (): ServiceKey => ({
        agent: pick([agent, `${agent} 2`]),
        conversation: pick(["x", "y", "z"]),
        audience: pick(["private", "group"]),
        user: pick(["ann", "bob", "x"]),
      })
      for (let at = 0; at < 80; at++) {
        const key = anyKey()
        await keep(service, key, memoryOf(`m${at}`, key, { atMs: at }))
      }
      for (let read = 0; read < 60; read++) {
        const key = anyKey()
        const rows = [
          ...(await service.memories.recent(key, { limit: 99 })),
          ...(await service.memories.changes(key, { limit: 99 })).memories,
        ]
        const foreign = rows.filter((row) => !sees(key, row))
        claim(foreign.length === 0, `no foreign row for ${JSON.stringify(key)}`, foreign)
        const one = await service.memories.get(`m${Math.floor(random() * 80)}`, key)
        claim(one === undefined || sees(key, one), `no foreign memory for ${JSON.stringify(key)}`, one)
      }
    },
  },
]

function sees(key: ServiceKey, memory: StoredMemory): boolean {
  if (memory.agent !== key.agent) return false
  if (key.audience === "private") return memory.user === key.user
  return memory.audience === "group" && memory.conversation === key.conversation
}

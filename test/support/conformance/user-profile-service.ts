import type { UserProfileService } from "../../../src/memory/services/user-profile.ts"
import { claimEqual, claimRejects } from "../../../src/testing/conformance/claims.ts"
import {
  keyOf,
  type OpenedService,
  type Rules,
  runRules,
  type ServiceCheck,
  statementOf,
} from "../../../src/testing/conformance/store/samples.ts"

const valuesOf = (statements: readonly { readonly value: string }[]): string[] => statements.map(({ value }) => value)

/** The rules of a user profile service, as tests. */
export function userProfileConformance(open: () => Promise<OpenedService<UserProfileService>>): readonly ServiceCheck[] {
  return runRules<UserProfileService>("user profile", profileServiceRules, open)
}

const profileServiceRules: Rules<UserProfileService> = {
  async "an unknown user has an empty profile at version 0"({ service, agent }) {
    claimEqual(await service.get(keyOf(agent)), { version: 0, fields: [], history: [] }, "an unknown user's profile")
  },
  async "of two statements of one name the newest holds, and the older one is history"({ service, agent }) {
    const key = keyOf(agent)
    await service.put([statementOf("city", "Hangzhou", key, { atMs: 1 })], 0, key)
    await service.put([statementOf("city", "Beijing", key, { atMs: 2 })], 1, key)
    const { version, fields, history } = await service.get(key)
    claimEqual([version, valuesOf(fields), valuesOf(history)], [2, ["Beijing"], ["Hangzhou"]], "the profile")
  },
  async "a change of another version is refused, and a turn's statements count once"({ service, agent }) {
    const key = keyOf(agent)
    const city = statementOf("city", "Hangzhou", key)
    claimEqual(await service.put([city], 0, key), { version: 1, applied: true }, "the first change")
    claimEqual(await service.put([city], 0, key), { version: 1, applied: false }, "the same turn again")
    const other = () => service.put([statementOf("city", "Paris", key)], 0, key)
    await claimRejects(other, "version-conflict", "a change of a version that is gone")
    claimEqual(valuesOf((await service.get(key)).fields), ["Hangzhou"], "what holds")
  },
  async "what was said in private is not shown in a group"({ service, agent }) {
    const key = keyOf(agent)
    const group = keyOf(agent, { audience: "group", conversation: "club" })
    await service.put([statementOf("health", "a secret", key)], 0, key)
    const { version } = await service.get(group)
    await service.put([statementOf("city", "Hangzhou", group)], version, group)
    claimEqual(valuesOf((await service.get(group)).fields), ["Hangzhou"], "what the group is shown")
    claimEqual(valuesOf((await service.get(key)).fields), ["Hangzhou", "a secret"], "what is shown in private")
    claimEqual((await service.get(keyOf(agent, { user: "bob" }))).fields, [], "what another user is shown")
  },
}

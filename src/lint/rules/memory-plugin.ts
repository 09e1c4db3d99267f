import { finding, type LintDocument, type LintFinding, profileRule } from "../rule.ts"

/** A profile that says of its memory two things. An inherited list of plugins may be overruled: that is said on purpose. */
export const memoryPlugin = profileRule(
  "memory-plugin",
  "The key `[memory] enabled` and a list of plugins that disagree about memory: only the key counts.",
  ({ documents, profile }) => {
    const listing = documents.findIndex(({ data }) => pluginsOf(data) !== undefined)
    const saying = documents.findIndex(({ data }) => enabledOf(data) !== undefined)
    const [list, said] = [documents[listing], documents[saying]]
    if (!list || !said || saying < listing || profile?.memory.store === "documents") return []
    return disagreement(list, said)
  },
)

function disagreement(list: LintDocument, said: LintDocument): LintFinding[] {
  const [isListed, isOn] = [pluginsOf(list.data)?.includes("memory"), enabledOf(said.data)]
  if (isListed === isOn) return []
  const found = `found memory.enabled = ${isOn} in ${said.file} and a list of plugins ${isListed ? 'with "memory"' : 'without "memory"'}`
  const message = `expected one answer to whether the agent remembers, ${found}: memory.enabled counts.`
  const hint = `Leave memory.enabled out, or ${isOn ? 'add "memory" to' : 'take "memory" out of'} [plugins] enabled.`
  return [finding(list.file, message, { ...list.locate(["plugins", "enabled"]), hint })]
}

function pluginsOf(data: LintDocument["data"]): readonly unknown[] | undefined {
  const plugins = data.plugins as { readonly enabled?: readonly unknown[] } | undefined
  return plugins && (plugins.enabled ?? [])
}

function enabledOf(data: LintDocument["data"]): boolean | undefined {
  return (data.memory as { readonly enabled?: boolean } | undefined)?.enabled
}

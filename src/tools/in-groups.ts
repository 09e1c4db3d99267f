import type { Tool } from "./tool.ts"

/** True for a tool that a choice of groups has (R28): one of these groups, or of none. Without a choice all are there. */
export function isInGroups({ group }: Pick<Tool, "group">, groups: readonly string[] | undefined): boolean {
  return groups === undefined || group === undefined || groups.includes(group)
}

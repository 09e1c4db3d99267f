import { isRecord } from "../../../../core/json-access.ts"
import type { Agent } from "../../../../loop/agent/agent.ts"
import { badRequest, type HttpProblem } from "../../http-problem.ts"

/** A change to an agent: what a variant of it has in place of its own. Plain JSON; an absent key changes nothing. */
export interface AgentChange {
  /** A profile's name or path. */
  readonly profile?: string
  /** The name of a dialect. */
  readonly dialect?: string
  /** The name of a model, as the program that made the agent knows it. */
  readonly model?: string
  /** Texts in place of those of the profile's files, by the path that `PromptFiles.list` gives. */
  readonly files?: Readonly<Record<string, string>>
}

/**
 * Makes an agent that differs from the inspected one by a change. Give it the same store, tools, plugins and ports, so that it sees the
 * same, and `runJobs: false`. The inspector runs turns of it that keep nothing, and closes it. It may throw: the page shows the error.
 */
export type MakeVariant = (change: AgentChange) => Agent | Promise<Agent>

/** The change in a request's body; undefined for none. Throws {@link HttpProblem}. */
export function changeOfBody(value: unknown): AgentChange | undefined {
  if (value === undefined) return undefined
  const refuse = (expected: string, param: string): HttpProblem => badRequest(`Expected ${expected}.`, param)
  if (!isRecord(value)) throw refuse("a change", "change")
  const { files, ...names } = value
  for (const [name, text] of Object.entries(names)) {
    if (!["profile", "dialect", "model"].includes(name)) throw refuse("profile, dialect, model or files", `change.${name}`)
    if (typeof text !== "string" || text === "") throw refuse("a name", `change.${name}`)
  }
  if (files !== undefined && !(isRecord(files) && Object.values(files).every((text) => typeof text === "string")))
    throw refuse("texts by path", "change.files")
  return value
}

import { PromptStrataError } from "../../core/errors.ts"
import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { parentOf } from "../../turn/parent-turn.ts"
import { type Agent, createAgent } from "../agent.ts"
import type { AgentOptions } from "../agent-options.ts"
import { contextOf } from "../published-agents.ts"
import { type ChooseHints, usualHints } from "./hints.ts"

/** What makes an agent a tool, beside the agent itself. */
interface AgentToolSettings {
  /** The tool's name, and the name of the process that runs behind it: `tools`, for one. */
  readonly name: string
  /** For the caller's model: what can be asked for, in a sentence. */
  readonly description: string
  readonly usageHint?: string
  /** What the parameter `request` is, for the caller's model. */
  readonly requestDescription?: string
  /** What the child is told of the caller's context. Default: the last messages, the question, the titles of the workspace. */
  readonly hints?: ChooseHints
  /** For one call, in milliseconds, beside the child's own limits. Default 120,000. */
  readonly timeoutMs?: number
  /** Events of one call that the caller's stream gets, at most. Default 2,000. */
  readonly maxEvents?: number
  /** False where asking twice in the same words is a mistake. Default true: it has no memory of the first time. */
  readonly repeatable?: boolean
  /** Default true: nobody knows what its tools do. */
  readonly writes?: boolean
}

/** An agent to call, or what one is made from. One that is made here is never closed: its plugins must have nothing to free. */
export type AgentToolOptions = AgentToolSettings &
  ({ readonly agent: Agent } | Pick<AgentOptions, "profile" | "model" | "tools" | "plugins" | "hooks" | "injections" | "ports">)

const defaults = { timeoutMs: 120_000, maxEvents: 2_000 } as const

/**
 * An agent behind a tool (R25): the caller asks in a sentence; the child plans, runs its own tools within its own budget and
 * limits, and its answer is the result. It is stateless: it sees the sentence and the hints, has no memory and keeps nothing, and
 * nothing of it enters the caller's history. Its events come as `child` events, its trace nests in the caller's, its usage counts
 * to the caller's. Where it fails, the tool run fails with the reason. Throws like `createAgent` and `defineTool`.
 */
export function agentTool(options: AgentToolOptions): Tool {
  const { name, description, usageHint, requestDescription, hints = usualHints, ...rest } = options
  const child = "agent" in options ? options.agent : createAgent(options)
  return defineTool({
    name,
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    jsonSchema: requestSchema(requestDescription),
    repeatable: rest.repeatable ?? true,
    writes: rest.writes ?? true,
    timeoutMs: rest.timeoutMs ?? defaults.timeoutMs,
    execute: (args, context) => call(child, { name, hints, maxEvents: rest.maxEvents ?? defaults.maxEvents, args, context }),
  })
}

interface Call {
  readonly name: string
  readonly hints: ChooseHints
  readonly maxEvents: number
  readonly args: Readonly<Record<string, unknown>>
  readonly context: ToolContext
}

async function call(child: Agent, { name, hints, maxEvents, args, context }: Call): Promise<string> {
  const { request } = args
  if (typeof request !== "string" || request.trim() === "")
    throw new PromptStrataError("tool-arguments", "expected request: what is to be done, in a sentence.")
  const parent = parentOf(context)
  if (!parent) throw noTurn(name)
  const parts = await contextOf(child)
  const { agentName, question, history } = parent
  const chosen = hints({ request, agentName, question, history, injection: (key) => parent.injection(key) })
  // It brings the loop, which only a turn needs.
  const { runChild } = await import("./run-child.ts")
  return runChild(parts, { name, request, hints: chosen, maxEvents, context, parent })
}

function requestSchema(description: string | undefined): Record<string, unknown> {
  const request = { type: "string", ...(description === undefined ? {} : { description }) }
  return { type: "object", properties: { request }, required: ["request"], additionalProperties: false }
}

function noTurn(tool: string): PromptStrataError {
  return new PromptStrataError(
    "usage",
    `expected the tool ${tool} to be run by a turn of an agent, found a call without a turn.`,
    {
      hint: "Give the tool to createAgent, or ask the agent itself with a session of its own.",
    },
  )
}

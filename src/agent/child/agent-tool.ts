import { PromptStrataError } from "../../core/errors.ts"
import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { parentOf } from "../../turn/parent-turn.ts"
import { type Agent, createAgent } from "../agent.ts"
import type { AgentOptions } from "../agent-options.ts"
import { contextOf } from "../published-agents.ts"
import { type ChooseHints, usualHints } from "./hints.ts"

/** Options of {@link agentTool}, apart from the agent. */
interface AgentToolSettings {
  /** The name of the tool and of the process that runs behind it, such as `tools`. */
  readonly name: string
  /** A sentence for the caller's model that says what can be asked for. */
  readonly description: string
  readonly usageHint?: string
  /** The description of the parameter `request`, for the caller's model. */
  readonly requestDescription?: string
  /** Chooses what the child sees of the caller's context. Default: the last messages, the question and the titles of the workspace. */
  readonly hints?: ChooseHints
  /** The time limit of one call in milliseconds. The child's own limits hold too. Default 120,000. */
  readonly timeoutMs?: number
  /** The maximum number of events of one call in the caller's stream. Default 2,000. */
  readonly maxEvents?: number
  /** False if asking twice in the same words is a mistake. Default true, because the child has no memory of the first time. */
  readonly repeatable?: boolean
  /** True if a call may change something. Default true, because the child's tools may. */
  readonly writes?: boolean
}

/** An agent to call, or the options of a new one. A new one is never closed, so its plugins must not need `close`. */
export type AgentToolOptions = AgentToolSettings &
  ({ readonly agent: Agent } | Pick<AgentOptions, "profile" | "model" | "tools" | "plugins" | "hooks" | "injections" | "ports">)

const defaults = { timeoutMs: 120_000, maxEvents: 2_000 } as const

/**
 * Makes a tool of an agent (R25). The caller sends a request in a sentence. The child plans and runs its own tools, within its own
 * budget and limits, and its answer is the result. The child sees only the request and the hints, has no memory and stores nothing;
 * nothing of it enters the caller's history. Its events come as `child` events, its trace stands in the caller's trace, and its usage
 * counts to the caller's usage. If it fails, the tool run fails with the reason. Throws like `createAgent` and `defineTool`.
 */
export function agentTool(options: AgentToolOptions): Tool {
  const { name, description, usageHint, requestDescription, hints = usualHints, timeoutMs, maxEvents, ...rest } = options
  const { repeatable = true, writes = true, ...agent } = rest
  const child = "agent" in agent ? agent.agent : createAgent(agent)
  return defineTool({
    name,
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    jsonSchema: requestSchema(requestDescription),
    repeatable,
    writes,
    timeoutMs: timeoutMs ?? defaults.timeoutMs,
    execute: (args, context) => call(child, { name, hints, maxEvents: maxEvents ?? defaults.maxEvents, args, context }),
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
  // Loaded here, because it loads the loop, which only a turn needs.
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
    { hint: "Give the tool to createAgent, or ask the agent itself with a session of its own." },
  )
}

import { checkOptions, checkType } from "../../../core/check-options.ts"
import { defineTool } from "../../../prompt/tools/define-tool.ts"
import type { Tool } from "../../../prompt/tools/tool.ts"
import { type Agent, createAgent } from "../agent.ts"
import type { AgentOptions } from "../agent-options.ts"
import { loadWork } from "../borders/load-session-work.ts"
import { contextOf } from "../published-agents.ts"
import type { ChooseHints } from "./hints.ts"
import { requestSchema } from "./tool-processes.ts"

/** Options of {@link agentTool}, apart from the agent. */
interface AgentToolSettings {
  /** The name of the tool and of the process that runs behind it, such as `tools`. */
  readonly name: string
  /** A sentence for the caller's model that says what can be asked for. */
  readonly description: string
  readonly usageHint?: string | undefined
  /** The description of the parameter `request`, for the caller's model. */
  readonly requestDescription?: string
  /** Chooses what the child sees of the caller's context. Default: the last messages, the question, and of a virtual context the titles, pulled information and events. */
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

const settings = "name description usageHint requestDescription hints timeoutMs maxEvents repeatable writes"

const defaultTimeoutMs = 120_000

/**
 * Makes a tool of an agent (R25). The caller sends a request in a sentence. The child plans and runs its own tools, within its own
 * budget and limits, and its answer is the result. The child sees only the request and the hints, has no memory and stores nothing;
 * nothing of it enters the caller's history. Its events come as `child` events, its trace stands in the caller's trace, and its usage
 * counts to the caller's usage. If it fails, the tool run fails with the reason. Throws like `createAgent` and `defineTool`.
 */
export function agentTool(options: AgentToolOptions): Tool {
  checkType("the options of agentTool", options, "object")
  if ("agent" in options) checkOptions("agentTool", options, `${settings} agent`)
  else checkOptions("agentTool", options, `${settings} profile model tools plugins hooks injections ports`)
  const { name, description, usageHint, requestDescription, hints, timeoutMs, maxEvents, ...rest } = options
  const { repeatable = true, writes = true, ...agent } = rest
  const child = "agent" in agent ? agent.agent : createAgent(agent)
  const tool = defineTool({
    name,
    description,
    usageHint,
    jsonSchema: requestSchema(requestDescription),
    repeatable,
    writes,
    timeoutMs: timeoutMs ?? defaultTimeoutMs,
    async execute(args, context) {
      // Loaded here, because it loads the loop, which only a turn needs.
      const { runRequest } = await loadWork()
      return runRequest(() => contextOf(child), { name, hints, maxEvents, args, context })
    },
  })
  return { ...tool, runsAgent: true }
}

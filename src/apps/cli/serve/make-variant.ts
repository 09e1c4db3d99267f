import type { AgentOptions } from "../../../loop/agent/agent-options.ts"
import type { Plugin } from "../../../memory/services/plugin.ts"
import type { PromptFiles } from "../../../profile/prompt-files.ts"
import type { MakeVariant } from "../../server/inspector/replay/agent-change.ts"
import { chooseOwnModels } from "../choose-model.ts"
import type { CliContext } from "../context.ts"
import { openAgent } from "../open-agent.ts"
import type { CommonOptions } from "../options.ts"

/** The agent that variants differ from. */
export interface Original extends Pick<AgentOptions, "store" | "onWarning"> {
  readonly servers: Plugin | undefined
  readonly options: Pick<CommonOptions, "dataDir">
}

/** Makes variants of the agent that a command opened. The name of a model is one as in PROMPTSTRATA_MODEL. */
export function variantMaker(files: PromptFiles, context: CliContext, { servers, options, ...shared }: Original): MakeVariant {
  const { io } = context
  const { close: _, ...running } = servers ?? { name: "" }
  return async (change) => {
    const profile = await files.load(change)
    const env = change.model === undefined ? io.env : { ...io.env, PROMPTSTRATA_MODEL: change.model }
    const { model } = context.chooseModel(profile, env)
    const models = chooseOwnModels(profile, env, context.chooseModel)
    // Another profile may have other servers: they run as long as the variant.
    const plugin = change.profile === undefined && servers ? running : undefined
    return openAgent({ ...shared, profile, model, models, runJobs: false, servers: plugin }, options, context)
  }
}

import { z } from "zod"
import { isLocale } from "../dialect/locales.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import { type BoundedPath, boundsOf, describeBounds } from "../profile/bounds.ts"
import { checkPlainArguments } from "./plain-arguments.ts"

/*
 * The message of each type is what it expects, as a noun phrase: `profile-problems.ts` makes "expected …, found …" of it.
 */

const text = () => z.string({ error: "a string" })
const line = () => text().refine(isLine, { error: "one line of text that is not blank" })
const flag = () => z.boolean({ error: "true or false" })
const names = () => z.array(line(), { error: 'an array of names, such as ["current_time"]' })

function isLine(value: string): boolean {
  return value.trim() !== "" && !hasLineBreak(value)
}

/** A number of the profile, with the bounds that profiles from code have too. */
function bounded(path: BoundedPath) {
  const bounds = boundsOf(path)
  const expected = { error: describeBounds(bounds) }
  const number = bounds.integer ? z.int(expected) : z.number(expected)
  return bounds.max === undefined ? number.min(bounds.min, expected) : number.min(bounds.min, expected).max(bounds.max, expected)
}

/** A table without other keys; each of its keys may be left out. */
function table<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject(shape, { error: "a table" }).exactPartial()
}

const prompt = table({
  dialect: line().describe("Name of the dialect: the folder of prompt files to use. Default: layered."),
  folder: line().describe("Folder of your own prompt files, laid over the dialect's. Relative to this file."),
  persona: line().describe("Who the agent is: a file relative to this one, or the name of a persona."),
  format: line().describe("How it writes: a file relative to this one, or the name of a format."),
  final_system: line().describe("System message of the final output: a file relative to this one. Default: none."),
})

const loop = table({
  mode: z
    .enum(["json", "native", "chat", "auto"], { error: '"json", "native", "chat" or "auto"' })
    .describe(
      '"json": one JSON object; "native": the model\'s own tool calls; "chat": no tools; "auto": native where the model can. Default: "json".',
    ),
  max_steps: bounded("loop.maxSteps").describe("Planner calls before the final output is forced. Default: 12."),
  strict: flag().describe("Accept nothing but a bare JSON object from the planner. Default: false."),
  response_format: z
    .enum(["json", "text"], { error: '"json" or "text"' })
    .describe('"json" asks the provider for a JSON object; some servers refuse that. Default: "text".'),
})

const limits = table({
  first_token_ms: bounded("limits.firstTokenMs").describe("From a request to its first part. Default: 60000."),
  between_chunks_ms: bounded("limits.betweenChunksMs").describe("Between two parts of a stream. Default: 30000."),
  tool_ms: bounded("limits.toolMs").describe("One tool run. Default: 30000."),
  prestart_ms: bounded("limits.prestartMs").describe("One prestart tool. Default: 5000."),
  step_ms: bounded("limits.stepMs").describe("One call of the model. Default: 120000."),
  turn_ms: bounded("limits.turnMs").describe("The whole turn. Default: 300000."),
  confirm_ms: bounded("limits.confirmMs").describe(
    "For a person to answer when a tool asks; the other limits stand still meanwhile. Default: 600000.",
  ),
})

const retry = table({
  max_attempts: bounded("retry.maxAttempts").describe("Calls of one model, the first included. Default: 3."),
  base_delay_ms: bounded("retry.baseDelayMs").describe("The first wait; it doubles each time. Default: 500."),
  max_delay_ms: bounded("retry.maxDelayMs").describe("No wait is longer. Default: 20000."),
})

const history = table({
  context_count: bounded("history.contextCount").describe("Messages of recent dialogue. Default: 20."),
  window: z
    .enum(["slide", "steps"], { error: '"slide" or "steps"' })
    .describe('"slide" shows exactly context_count messages, "steps" that many to twice that many. Default: "steps".'),
})

const budget = table({
  tokens: bounded("budget.tokens").describe("Tokens a request may have. Default: no limit."),
  answer_tokens: bounded("budget.answerTokens").describe("Reserved for the answer. Default: 1000, at most a quarter of tokens."),
  step_tokens: bounded("budget.stepTokens").describe(
    "Reserved for the turn's later steps. Default: 2000, at most a quarter of tokens.",
  ),
})

const tools = table({
  enabled: names().describe("Built-in tools. Default: none."),
  prestart_only: names().describe("Tools that the planner does not see. Default: none."),
  max_result_characters: bounded("tools.maxResultCharacters").describe("Longer results are cut visibly. Default: 10000."),
})

const prestart = table({
  tool: line().describe("The tool's name."),
  args: z
    .record(z.string(), z.unknown(), { error: "a table" })
    .check(checkPlainArguments)
    .describe("Its arguments; {{question}} is filled. Default: none."),
  include_history: flag().describe("Keep the result in history. Default: false."),
  timeout_ms: bounded("prestart.timeoutMs").describe("Its time limit. Default: limits.prestart_ms."),
}).required({ tool: true })

const model = table({
  id: line().describe("The model's name, such as gpt-5-mini."),
  base_url: z.url({ protocol: /^https?$/, error: "a URL that begins with http:// or https://" }).describe("The server."),
  temperature: bounded("model.temperature").describe("Default: the server's."),
  max_output_tokens: bounded("model.maxOutputTokens").describe("Tokens that the model may write. Default: the server's."),
})

const variable = z.union([z.string(), z.boolean(), z.number()], { error: "a string, a number, true or false" })

/** The whole file; every key is optional, as a profile may inherit it or leave it to the defaults (L9). */
export const profileFileSchema = table({
  extends: line().describe("Name or path of a profile to inherit from: tables merge key by key, arrays are replaced."),
  locale: text()
    .refine(isLocale, { error: 'a locale such as "en" or "zh-CN"' })
    .describe("Language of the prompts. Default: the environment's."),
  agent: table({
    id: line().describe("Keys the agent's sessions. Default: the profile's name."),
    name: line().describe("How it is shown in prompts. Default: the persona's name, else the profile's."),
  }),
  user: table({ name: line().describe("How the user is shown in prompts. Default: as the persona says.") }),
  prompt,
  variables: z
    .record(z.string(), variable, { error: "a table" })
    .describe("Values for prompts: each fills the slot of its name."),
  loop,
  limits,
  retry,
  history,
  budget,
  context: table({
    older: z
      .enum(["drop", "condense", "keep"], { error: '"drop", "condense" or "keep"' })
      .describe(
        'What history shows of the memories that earlier turns recalled: nothing, a short line each, or all. Default: "drop".',
      ),
    older_characters: bounded("context.olderCharacters").describe('How long a line is with "condense". Default: 120.'),
  }),
  memory: table({
    enabled: flag().describe("False: nothing is recalled. Default: true."),
    recall_limit: bounded("memory.recallLimit").describe("Memories in a prompt, at most. Default: 8."),
  }),
  tools,
  prestart: z
    .array(prestart, { error: "an array of tables, written [[prestart]]" })
    .describe("Tools that run before the first plan."),
  model,
})

/** A profile file's data, checked. */
export type ProfileFile = z.infer<typeof profileFileSchema>

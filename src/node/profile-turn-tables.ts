import { z } from "zod"
import { profileDefaults } from "../profile/defaults.ts"
import { toolGroups } from "../tools/tool.ts"
import { checkPlainArguments } from "./plain-arguments.ts"
import { bounded, choice, flag, key, line, names, table, text } from "./profile-fields.ts"

const { loop, limits, retry, history, budget, tools } = profileDefaults

/** `[loop]` */
export const loopTable = table("How a turn plans.", {
  mode: key(choice("json", "native", "chat", "auto"), {
    meaning:
      'How the model says what to do next. "json": one JSON object; "native": the model\'s own tool calls; "chat": no tools, one answer; "auto": native where the model can, else JSON.',
    fallback: loop.mode,
  }),
  max_steps: key(bounded("loop.maxSteps"), {
    meaning: "Planner calls before the final output is forced.",
    fallback: loop.maxSteps,
  }),
  strict: key(flag(), { meaning: "Accept nothing but a bare JSON object from the planner.", fallback: loop.strict }),
  response_format: key(choice("json", "text"), {
    meaning: '"json" asks the provider for a JSON object; some servers refuse that.',
    fallback: loop.responseFormat,
  }),
})

/** `[limits]` */
export const limitsTable = table("How long things may take, in milliseconds.", {
  first_token_ms: key(bounded("limits.firstTokenMs"), {
    meaning: "From a request to the first part of its answer.",
    fallback: limits.firstTokenMs,
  }),
  between_chunks_ms: key(bounded("limits.betweenChunksMs"), {
    meaning: "Between two parts of an answer.",
    fallback: limits.betweenChunksMs,
  }),
  tool_ms: key(bounded("limits.toolMs"), { meaning: "One tool run, and one hook after a turn.", fallback: limits.toolMs }),
  prestart_ms: key(bounded("limits.prestartMs"), {
    meaning: "Each thing that runs before the first plan: a prestart tool, recall, a hook.",
    fallback: limits.prestartMs,
  }),
  step_ms: key(bounded("limits.stepMs"), { meaning: "One call of the model.", fallback: limits.stepMs }),
  turn_ms: key(bounded("limits.turnMs"), { meaning: "The whole turn.", fallback: limits.turnMs }),
  confirm_ms: key(bounded("limits.confirmMs"), {
    meaning: "For a person to answer when a tool asks. The other limits stand still meanwhile.",
    fallback: limits.confirmMs,
  }),
})

/** `[retry]` */
export const retryTable = table("When a failed call of a model is made again. Only before the first shown character.", {
  max_attempts: key(bounded("retry.maxAttempts"), {
    meaning: "Calls of one model, the first included.",
    fallback: retry.maxAttempts,
  }),
  base_delay_ms: key(bounded("retry.baseDelayMs"), {
    meaning: "The first wait; it doubles each time. What the server asks for goes before it.",
    fallback: retry.baseDelayMs,
  }),
  max_delay_ms: key(bounded("retry.maxDelayMs"), { meaning: "No wait is longer.", fallback: retry.maxDelayMs }),
})

/** `[history]` */
export const historyTable = table("How much of the conversation a prompt shows.", {
  context_count: key(bounded("history.contextCount"), {
    meaning: "Messages of recent dialogue.",
    fallback: history.contextCount,
  }),
  window: key(choice("slide", "steps"), {
    meaning:
      '"slide" shows exactly context_count messages; "steps" shows that many to twice that many, so that a provider\'s cache holds longer.',
    fallback: history.window,
  }),
})

/** `[budget]` */
export const budgetTable = table("How many tokens a request may have.", {
  tokens: key(bounded("budget.tokens"), { meaning: "Tokens of one request, answer included.", otherwise: "no limit" }),
  answer_tokens: key(bounded("budget.answerTokens"), {
    meaning: "Of these, reserved for the answer.",
    otherwise: `${budget.answerTokens}, at most a quarter of tokens`,
  }),
  step_tokens: key(bounded("budget.stepTokens"), {
    meaning: "Of these, reserved for the turn's later steps.",
    otherwise: `${budget.stepTokens}, at most a quarter of tokens`,
  }),
})

const group = choice(...toolGroups)

/** `[tools]` */
export const toolsTable = table("Which built-in tools there are, and how all tools behave.", {
  enabled: key(names("current_time"), { meaning: "Built-in tools, by name.", fallback: tools.enabled }),
  prestart_only: key(names("current_time"), {
    meaning: "Tools that run only as prestart: the planner does not see them.",
    fallback: tools.prestartOnly,
  }),
  max_result_characters: key(bounded("tools.maxResultCharacters"), {
    meaning: "Longer results are cut, with a visible notice.",
    fallback: tools.maxResultCharacters,
  }),
  groups: key(z.array(group, { error: `an array of groups, such as ["context", "device"]` }), {
    meaning: `Groups whose tools the agent has, of ${toolGroups.join(", ")}; tools without a group are always there.`,
    otherwise: "all",
  }),
  rules: key(z.partialRecord(group, text(), { error: "a table of texts by group" }), {
    meaning: "Rules of use for a group's tools, in your words; dialects that name `${tool_groups}` show them with the tools.",
    otherwise: "none",
  }),
  mentions: key(flag(), {
    meaning: "Put what was said in place of `@last_NAME` and `@last_3_NAME` in the arguments of calls.",
    fallback: tools.mentions,
  }),
})

/** One `[[prestart]]` */
export const prestartTable = table("A tool that runs before the first plan.", {
  tool: key(line(), { meaning: "The tool's name." }),
  args: key(z.record(z.string(), z.unknown(), { error: "a table" }).check(checkPlainArguments), {
    meaning: "Its arguments; {{question}} in a string is filled with what the user said.",
    otherwise: "none",
  }),
  include_history: key(flag(), { meaning: "Keep the result in the conversation.", fallback: false }),
  timeout_ms: key(bounded("prestart.timeoutMs"), { meaning: "Its time limit.", otherwise: "`limits.prestart_ms`" }),
}).required({ tool: true })

const httpUrl = z
  .url({ protocol: /^https?$/, error: "a URL that begins with http:// or https://" })
  .meta({ pattern: "^https?://" })

/** `[model]` */
export const modelTable = table("Which model, and how it is asked. Code and the environment may decide it instead.", {
  id: key(line(), { meaning: "The model's name, such as gpt-5-mini.", otherwise: "the program's" }),
  base_url: key(httpUrl, {
    meaning: "The server: any that speaks OpenAI's protocol.",
    otherwise: "OpenAI's",
  }),
  temperature: key(bounded("model.temperature"), { meaning: "How freely it words its answer.", otherwise: "the server's" }),
  max_output_tokens: key(bounded("model.maxOutputTokens"), {
    meaning: "Tokens that the model may write in one call.",
    otherwise: "the server's",
  }),
})

import type { Prices } from "../../core/model/prices.ts"
import {
  choice,
  flag,
  httpUrlForm,
  jsonTable,
  type Key,
  line,
  lines,
  milliseconds,
  number,
  optionalTable,
  table,
  timeOfDayForm,
  wholeNumber,
} from "../key.ts"

export const loop = table("How a turn plans.", {
  mode: choice(["json", "native", "chat", "auto"], {
    default: "json",
    words:
      'How the model says what to do next. "json": it answers with one JSON object. "native": it uses its own tool calls. "chat": it has no tools and answers at once. "auto": native where the model can, else JSON.',
  }),
  maxSteps: wholeNumber({
    min: 1,
    max: 1_000,
    default: 12,
    words: "How many times the planner is called before the final output is forced.",
  }),
  strict: flag({ default: false, words: "Accept nothing but a bare JSON object from the planner. Other output is a fault." }),
  responseFormat: choice(["auto", "json", "text"], {
    default: "auto",
    words:
      'How a provider is asked for the planner\'s JSON. "auto": by a JSON Schema of the decision where the model keeps to one, and the prompt is shorter then; as JSON where its server is known to take that. "json": as JSON also elsewhere, or the trace tells why not. "text": not at all.',
  }),
})

export const limits = table("How long things may take, in milliseconds, and how much a model may read, write and cost.", {
  firstTokenMs: milliseconds({ default: 60_000, words: "The time from a request to the first part of its answer." }),
  betweenChunksMs: milliseconds({ default: 30_000, words: "The time between two parts of an answer." }),
  toolMs: milliseconds({
    default: 30_000,
    words: "One tool run, unless the tool has a limit of its own, and one hook after a turn.",
  }),
  prestartMs: milliseconds({
    default: 5_000,
    words: "Each thing that runs before the first plan: a prestart tool, recall, a hook.",
  }),
  stepMs: milliseconds({ default: 120_000, words: "One call of the model." }),
  turnMs: milliseconds({ default: 300_000, words: "The whole turn, from reading its session to storing it." }),
  confirmMs: milliseconds({
    default: 600_000,
    words: "The time that a person has to allow or refuse a tool call. The other limits pause during it.",
  }),
  approvalMs: milliseconds({
    default: 7 * 86_400_000,
    words: "The time within which a call that waits for an approval can be answered, also after a restart.",
  }),
  answerCharacters: wholeNumber({
    min: 1,
    default: 1_000_000,
    words:
      "The most characters (UTF-16 units) of one call of the model: words, thoughts and tool calls. A longer answer ends there.",
  }),
  turnTokens: wholeNumber({
    min: 1,
    otherwise: "no limit",
    words:
      "The most tokens that all calls of a turn may use, with those of its child agents: what the provider told, else an estimate. A request that would pass it is not sent, and the turn ends with the error `spending-limit`. The last answer may pass it.",
  }),
  turnUsd: number({ min: 0, otherwise: "no limit", words: "The same in US dollars, by the prices of the models." }),
  dailyTokens: wholeNumber({
    min: 0,
    otherwise: "no limit",
    words:
      "The most tokens that all calls for one user may use on a day in `time_zone`: those of turns and of background work, in all conversations and processes of the store. Background work beyond it is skipped.",
  }),
  dailyUsd: number({ min: 0, otherwise: "no limit", words: "The same in US dollars, by the prices of the models." }),
})

export const retry = table("How often a failed call of a model is repeated, as long as no character of its answer was shown.", {
  maxAttempts: wholeNumber({
    min: 1,
    max: 100,
    default: 3,
    words: "How many times one model is called, the first call included. Then the next model is tried.",
  }),
  baseDelayMs: milliseconds({
    default: 500,
    words: "The first wait. Each further wait is twice as long. A wait that the server asks for takes precedence.",
  }),
  maxDelayMs: milliseconds({ default: 20_000, words: "The longest wait." }),
})

export const history = table("How much of the conversation a prompt shows.", {
  toolRuns: choice(["auto", "keep", "drop"], {
    default: "auto",
    words:
      'Whether later turns see the tool runs of a turn, so that a call can use what an earlier result held (T29). "auto" keeps those that the model called natively.',
  }),
  toolRunTokens: wholeNumber({
    min: 0,
    words:
      "The most tokens of those runs; the oldest are shortened first. Never over half of the budget (an eighth to keep messages).",
    otherwise: "8000 without a budget",
  }),
  keepFailed: flag({
    default: true,
    words:
      "Keep the user's words of a turn that failed or was aborted, and what was shown of its answer (T20). Later prompts show both.",
  }),
  contextCount: wholeNumber({ min: 0, default: 20, words: "How many messages of recent dialogue a prompt shows." }),
  attachments: wholeNumber({
    min: 0,
    default: 4,
    words:
      "How many pictures, recordings and files of earlier messages a model gets: the newest, this many to twice that many. Older ones are named. With a budget, they give way before words.",
  }),
  groupTokens: wholeNumber({
    min: 1,
    words:
      'In a group: about how many tokens of recent dialogue a prompt shows, in place of context_count messages. With window = "steps" it shows up to twice as many.',
    otherwise: "context_count messages, as elsewhere",
  }),
  window: choice(["slide", "steps", "fill"], {
    default: "steps",
    words:
      '"slide" shows exactly context_count messages. "steps" shows that many to twice that many, so that a provider\'s cache holds longer. Where the budget cuts, both cut in steps of half of the room for history: a long chat fills some 60 to 100 % of the budget, 81 % on average, and a cache serves 95 % of it. "fill" shows at most context_count messages and cuts no more than needed: 99 % are filled, and a cache serves 26 %.',
  }),
})

const [answerTokens, stepTokens] = [1_000, 2_000]

export const conversation = table("How the agent takes part in a conversation.", {
  wakesPerUser: wholeNumber({
    min: 0,
    max: 1_000,
    default: 50,
    words: "The most reminders and other wakes that may wait for one person.",
  }),
  quietFrom: line({
    form: timeOfDayForm,
    words: "From this local time, such as 22:30, no wake rings; it rings at `quiet_to`.",
    otherwise: "wakes ring at any time",
  }),
  quietTo: line({ form: timeOfDayForm, words: "The end of these hours, such as 07:00.", otherwise: "wakes ring at any time" }),
  agentAnswers: wholeNumber({
    min: 0,
    default: 3,
    words: "How many times in a row `Session.receive` answers other agents. A person's words begin the count anew.",
  }),
  mergeMs: wholeNumber({
    min: 0,
    max: 60_000,
    default: 0,
    words:
      "Messages that come within this time of each other are one turn. A turn begins so much later, because the next message may still come. 0: each message is a turn.",
  }),
  interrupt: choice(["queue", "join", "abort"], {
    default: "queue",
    words:
      'What a message does that comes while the one before is answered. "queue": it waits. "join": if nothing of the answer was shown and no tool was called, both are answered together; else it waits. "abort": it ends that turn.',
  }),
})

export const budget = table("How many tokens a request may have.", {
  tokens: wholeNumber({
    min: 1,
    words: "Tokens of one request, answer included. Without it nothing is cut.",
    otherwise: "no limit",
  }),
  answerTokens: wholeNumber({
    min: 0,
    default: answerTokens,
    otherwise: `${answerTokens}, at most a quarter of tokens`,
    words: "Of these, reserved for the answer.",
  }),
  stepTokens: wholeNumber({
    min: 0,
    default: stepTokens,
    otherwise: `${stepTokens}, at most a quarter of tokens`,
    words: "Of these, reserved for the turn's later steps.",
  }),
})

const capabilities = optionalTable("Abilities of the model at its server, where what is known of both is wrong or missing.", {
  tools: flag({ words: "True if the model calls tools natively.", otherwise: "as known" }),
  attachments: lines("image/*", {
    words: "The media types that it takes beside text. An empty list is none.",
    otherwise: "as known",
  }),
  jsonSchema: flag({ words: "True if the server holds an answer to a JSON Schema.", otherwise: "as known" }),
  reasoning: flag({ words: "True if its text begins inside a thought, without an opening tag.", otherwise: "as known" }),
})

export const model = table("Which model answers, and how it is asked. Code and the environment may decide it instead.", {
  id: line({ words: "The model's name, such as gpt-5-mini.", otherwise: "set by the program" }),
  baseUrl: line({
    form: httpUrlForm,
    words: "The address of the server. It can be any server that speaks OpenAI's protocol.",
    otherwise: "OpenAI's",
  }),
  capabilities,
  temperature: number({
    min: 0,
    max: 2,
    words: "How freely the model chooses its words: 0 is the least.",
    otherwise: "the server's",
  }),
  maxOutputTokens: wholeNumber({ min: 1, words: "Tokens that the model may write in one call.", otherwise: "the server's" }),
  extraFields: jsonTable({
    words:
      "Further fields of each request to the server, as it names them, such as top_p = 0.9. A server refuses those that it does not know.",
    otherwise: "none",
  }),
})

/** The prices of models, as a file of `--prices` has them. */
export const prices = jsonTable({
  default: {},
  otherwise: "those of the package",
  words:
    "What a million tokens cost in US dollars, by the id of a model, as `openai:gpt-5-mini`, or its name alone: `input`, `output` and, if known, `cacheRead`, `cacheWrite` and `asOf`. These go before the prices of the package.",
}) as unknown as Key<Prices, "filled", Prices>

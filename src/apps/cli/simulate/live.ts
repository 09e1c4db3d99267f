import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LanguageModel, ModelRequest } from "../../../core/model/language-model.ts"
import type { TokenCounter } from "../../../core/ports.ts"
import type { Assembly } from "../../../core/span.ts"
import type { Agent } from "../../../loop/agent/agent.ts"
import { createAgent } from "../../../loop/agent/agent.ts"
import type { Session } from "../../../loop/agent/session.ts"
import { addDays, hostTimeZone, zonedCalendar } from "../../../memory/forgetting/events/zoned-calendar.ts"
import { readState } from "../../../memory/forgetting/plugin/context-state.ts"
import { virtualContextName } from "../../../memory/forgetting/plugin/virtual-context-name.ts"
import { createInMemoryStore } from "../../../memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import type { Profile } from "../../../profile/profile.ts"
import { automaticCache } from "../../../testing/cache-simulator/prefix-cache.ts"
import { countRequest, textTokens } from "../../../testing/cache-simulator/request-tokens.ts"
import { cacheRules } from "../../../testing/cache-simulator/simulate-cache.ts"
import { countingIds, seededRandom } from "../../../testing/deterministic-ports.ts"
import { chooseOwnModels, type ModelChooser } from "../choose-model.ts"
import { type CliContext, notesOn } from "../context.ts"
import { openProfile, portsFor, terminalUser } from "../open-agent.ts"
import type { CommonOptions } from "../options.ts"
import type { DayCheck, RecalledWords, Script, ScriptedWords } from "./read-script.ts"
import { type SimulatedTime, simulatedTime } from "./simulated-time.ts"
import { type SimulatedUser, simulatedUser } from "./simulated-user.ts"

/** A request of a life, as it was sent. */
export interface LivedRequest {
  readonly day: number
  readonly atMs: number
  /** The id of the model. */
  readonly model: string
  readonly isBackground: boolean
  readonly promptTokens: number
  /** Those of them that an automatic cache serves; 0 for background work. */
  readonly cachedTokens: number
  outputTokens: number
}

/** A day of a life. */
export interface LivedDay {
  readonly day: number
  readonly turns: number
  readonly memories: number
  readonly events: number
  /** For each subject of the script, the parts of a prompt in which its words stand at the end of the day; empty for none. */
  readonly found: readonly (readonly string[])[]
}

/** A claim, and what was found. `day` is undefined for a claim whose day never came. */
export interface CheckedExpectation {
  readonly expectation: DayCheck
  readonly isMet: boolean
  readonly reason: string
}

/** A life as a script tells it, with one profile. */
export interface Life {
  readonly profile: Profile
  readonly subjects: readonly RecalledWords[]
  readonly days: readonly LivedDay[]
  readonly requests: readonly LivedRequest[]
  readonly checks: readonly CheckedExpectation[]
  /** Turns that ended in an error, with the line that began them. */
  readonly failures: readonly { readonly words: ScriptedWords; readonly day: number; readonly message: string }[]
}

interface LifeOptions extends CommonOptions {
  readonly chooseModel: ModelChooser
  /** The model that plays the user of the script. Default: rules. */
  readonly chooseUser?: ModelChooser | undefined
  /** Gets the assembly of each request of a turn. They are not kept: those of sixty days take memory and time. */
  readonly onAssembly?: ((assembly: Assembly, day: number) => void) | undefined
}

/** Everything that the days of a life work on. */
interface LifeParts {
  readonly script: Script
  readonly profile: Profile
  readonly session: Session
  readonly agent: Agent
  readonly store: Store
  readonly time: SimulatedTime
  readonly atMinute: MinuteOfDay
  readonly requests: LivedRequest[]
  readonly now: { day: number }
  readonly user: SimulatedUser
}

const dayMinutes = 24 * 60

/** Lives the days of a script with a profile, in memory and in a folder of its own that is gone afterwards. */
export async function live(script: Script, options: LifeOptions, context: CliContext): Promise<Life> {
  const dataDir = await mkdtemp(join(tmpdir(), "promptstrata-simulate-"))
  try {
    let time: SimulatedTime | undefined
    // The day begins in the profile's own time zone, which is known once it is loaded; its tools look at the clock later.
    const clock = { nowMs: () => time?.clock.nowMs() ?? minutesOf(script, {})(1, 0) }
    const profile = await openProfile({ ...options, dataDir, clock }, context)
    const atMinute = minutesOf(script, profile)
    time = simulatedTime(atMinute(1, 0))
    if (Object.keys(profile.mcp.servers).length > 0) notesOn(context)("The servers of [mcp] are left out of a simulation.")
    const living = await begin({ script, profile, time, atMinute }, [options, context])
    const found = await liveDays(living)
    await living.time.settled(living.agent.close())
    return { profile, requests: living.requests, ...found }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

type Beginning = Pick<LifeParts, "script" | "profile" | "time" | "atMinute">

async function begin(beginning: Beginning, [options, context]: [LifeOptions, CliContext]): Promise<LifeParts> {
  const { profile, time } = beginning
  const { clock, timers } = time
  const ports = { ...(await portsFor(profile.model, context)), clock, timers, ids: countingIds(), random: seededRandom(1) }
  const store = createInMemoryStore({ ports: { clock, timers } })
  const [requests, now] = [[] as LivedRequest[], { day: 1 }]
  const count = (text: string) => ports.counter.count(text)
  const recording: Recording = { requests, count, now, time, served: servedTokens(ports.counter), onAssembly: options.onAssembly }
  const recorded = (model: LanguageModel): LanguageModel => recordedModel(time.watched(model), recording)
  const own = chooseOwnModels(profile, context.io.env, options.chooseModel)
  const agent = createAgent({
    profile,
    model: recorded(options.chooseModel(profile, context.io.env).model),
    models: Object.fromEntries(Object.entries(own).map(([name, model]) => [name, recorded(model)])),
    ...{ store, ports },
  })
  const player = options.chooseUser?.(profile, context.io.env).model
  const user = simulatedUser(beginning.script, profile, { model: player && time.watched(player), note: notesOn(context) })
  return { ...beginning, agent, store, requests, now, user, session: agent.session("simulated") }
}

interface Recording extends Pick<LifeParts, "requests" | "now" | "time">, Pick<LifeOptions, "onAssembly"> {
  readonly count: (text: string) => number
  readonly served: ReturnType<typeof servedTokens>
}

/** A model that notes what it is asked and how much it answers. */
function recordedModel(model: LanguageModel, recording: Recording): LanguageModel {
  return {
    ...{ id: model.id, capabilities: model.capabilities },
    async *stream(request, options) {
      const lived = { ...requestOf(request, recording), model: model.id, outputTokens: 0 }
      recording.requests.push(lived)
      let output = ""
      for await (const part of model.stream(request, options)) {
        if (part.type === "text-delta" || part.type === "thinking-delta") output += part.delta
        yield part
      }
      lived.outputTokens = recording.count(output)
    },
  }
}

function requestOf({ assembly, messages, facts }: ModelRequest, { count, served, now: { day }, time, onAssembly }: Recording) {
  const isBackground = facts?.background === true
  const atMs = time.clock.nowMs()
  const tokens = assembly && assembly.tokens + assembly.overheadTokens
  const promptTokens = tokens ?? messages.reduce((sum, { content }) => sum + count(content), 0)
  const cachedTokens = assembly && !isBackground ? served(assembly, atMs) : 0
  if (assembly && !isBackground) onAssembly?.(assembly, day)
  return { day, atMs, isBackground, promptTokens, cachedTokens }
}

/** The time for which the simulated cache keeps a beginning of a request. */
const ttlMs = 60 * 60_000

/** Counts the tokens of requests that an automatic cache serves. After a longer pause it has forgotten everything. */
function servedTokens(counter: TokenCounter): (assembly: Assembly, atMs: number) => number {
  let [texts, cache, before] = [textTokens(counter), undefined as ReturnType<typeof automaticCache> | undefined, 0]
  return (assembly, atMs) => {
    if (cache === undefined || atMs - before > ttlMs) {
      texts = textTokens(counter)
      cache = automaticCache(cacheRules({ counter, ttlMs }), texts)
    }
    before = atMs
    // The spans of a request are counted already.
    const counted = assembly.messages.map(() => 0)
    for (const { message, tokens } of assembly.spans) counted[message] = (counted[message] ?? 0) + tokens
    const count = (text: string) => counted[assembly.messages.findIndex(({ content }) => content === text)] ?? texts.count(text)
    return cache.ask(countRequest(assembly, { ...texts, count }), atMs).cachedTokens
  }
}

async function liveDays(living: LifeParts): Promise<Pick<Life, "subjects" | "days" | "checks" | "failures">> {
  const { script, time, now, agent } = living
  const subjects = subjectsOf(script.expectations)
  const [days, checks, failures]: [LivedDay[], CheckedExpectation[], Life["failures"][number][]] = [[], [], []]
  for (let day = 1; day <= script.days; day++) {
    now.day = day
    const spoken = wordsOf(script.words, day, living.atMinute)
    const turns = spoken.reduce((sum, words) => sum + words.turns, 0)
    for (const words of spoken)
      for (let turn = 0; turn < words.turns; turn++) {
        time.moveTo(living.atMinute(day, Math.min(words.minuteOfDay + turn, dayMinutes - 1)))
        const text = await time.settled(scriptedText(words, living))
        const result = await time.settled(living.session.send(text, { from: { id: terminalUser } }).result)
        await time.settled(agent.idle())
        living.user.hear(text, result.ok ? result.text : "…")
        if (!result.ok) failures.push({ words, day, message: result.error.message })
      }
    time.moveTo(living.atMinute(day, dayMinutes - 1))
    await time.settled(agent.idle())
    const found: (readonly string[])[] = []
    for (const subject of subjects) found.push(await partsWith(subject, living))
    days.push({ day, turns, found, ...(await keptBy(living)) })
    for (const expectation of script.expectations)
      if (expectation.day === day || (expectation.day === undefined && turns > 0))
        checks.push(check(expectation, day, { found, subjects, requests: living.requests }))
  }
  for (const expectation of script.expectations)
    if ((expectation.day ?? 1) > script.days) {
      const reason = `day ${expectation.day} never comes: the script ends with day ${script.days}`
      checks.push({ expectation, isMet: false, reason })
    }
  return { subjects, days, checks, failures }
}

/** The moment of a minute of a day of the script. */
type MinuteOfDay = (day: number, minuteOfDay: number) => number

function minutesOf({ start }: Script, { timeZone = hostTimeZone() }: Pick<Profile, "timeZone">): MinuteOfDay {
  const calendar = zonedCalendar(timeZone)
  return (day, minuteOfDay) =>
    calendar.instant({ ...addDays(start, day - 1), hour: Math.floor(minuteOfDay / 60), minute: minuteOfDay % 60 })
}

/** The words of a day, in order of time: a minute that clocks leave out comes an hour later. */
function wordsOf(all: readonly ScriptedWords[], day: number, atMinute: MinuteOfDay): readonly ScriptedWords[] {
  return all
    .filter(({ firstDay, lastDay, everyDays }) => day >= firstDay && day <= lastDay && (day - firstDay) % everyDays === 0)
    .sort((a, b) => atMinute(day, a.minuteOfDay) - atMinute(day, b.minuteOfDay))
}

/** The line of a turn: the script's, or what its user finds to say. */
async function scriptedText(words: ScriptedWords, { now: { day }, user, time }: LifeParts): Promise<string> {
  const { texts, firstDay, everyDays } = words
  if (texts.length > 0) return texts[Math.floor((day - firstDay) / everyDays) % texts.length] ?? ""
  return user.next(words, { day, atMs: time.clock.nowMs() })
}

/** Everything that a claim wants remembered or forgotten, each once. */
function subjectsOf(expectations: readonly DayCheck[]): readonly RecalledWords[] {
  const recalled = expectations.flatMap((claim) => (claim.kind === "prompt" ? [] : [{ words: claim.words, asked: claim.asked }]))
  return [...new Map(recalled.map((subject) => [JSON.stringify(subject), subject])).values()]
}

/** The parts of a prompt for the question, but the question itself and what the author wrote, in which the words stand. */
async function partsWith({ words, asked }: RecalledWords, { session, time }: LifeParts): Promise<readonly string[]> {
  const { spans } = await time.settled(session.preview(asked ?? `${words}?`, { from: { id: terminalUser } }))
  const sought = words.toLowerCase()
  const found = spans.filter(
    ({ key, trust, part, text }) =>
      part === "content" && trust !== "author" && key !== "question" && text.toLowerCase().includes(sought),
  )
  return [...new Set(found.map(({ key }) => key))]
}

async function keptBy({ store, session, profile }: LifeParts): Promise<Pick<LivedDay, "memories" | "events">> {
  const key = { ...session.key, user: terminalUser }
  const memories = profile.memory.enabled ? (await store.memories.recent(key, { limit: 100_000 })).length : 0
  const hooks = (await store.load(session.key, { last: 0 }))?.state.hooks as Readonly<Record<string, unknown>> | undefined
  return { memories, events: readState(hooks?.[virtualContextName]).events.length }
}

function check(
  expectation: DayCheck,
  day: number,
  { found, subjects, requests }: Pick<LivedDay, "found"> & Pick<Life, "subjects" | "requests">,
): CheckedExpectation {
  if (expectation.kind === "prompt") {
    const { under, ofDay } = expectation
    const [most, whole] = [largestPrompt(requests, day), largestPrompt(requests, ofDay ?? day)]
    if (most === 0) return { expectation, isMet: false, reason: `nothing was said on day ${day}` }
    const isMet = most < (ofDay === undefined ? under : (whole * under) / 100)
    const beside = ofDay === undefined ? "" : `, that of day ${ofDay} has ${whole}`
    return { expectation, isMet, reason: `the largest prompt of day ${day} has ${most} tokens${beside}` }
  }
  const { kind, words, asked } = expectation
  const parts = found[subjects.findIndex((subject) => subject.words === words && subject.asked === asked)] ?? []
  const where = parts.length === 0 ? "is in no part of the prompt" : `stands in ${parts.join(", ")}`
  return { expectation, isMet: (kind === "remembered") === parts.length > 0, reason: `on day ${day} "${words}" ${where}` }
}

function largestPrompt(requests: readonly LivedRequest[], day: number): number {
  const own = requests.filter((request) => request.day === day && !request.isBackground)
  return Math.max(0, ...own.map(({ promptTokens }) => promptTokens))
}

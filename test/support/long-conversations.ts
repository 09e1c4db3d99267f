import type { RecallDocument } from "../../src/memory/services/recall/recall-query.ts"
import { developmentTopics, heldOutTopics, type Topic } from "./conversation-topics.ts"
import { type Dice, diceOf } from "./dice.ts"

/** A question about a conversation, and the lines that answer it. */
export interface EvidenceQuestion {
  readonly text: string
  readonly kind: "when" | "answered" | "month" | "category" | "what"
  readonly evidence: readonly string[]
}

/** Months of talk between two people. */
export interface LongConversation {
  readonly lines: readonly RecallDocument[]
  readonly questions: readonly EvidenceQuestion[]
  /** After the last line. */
  readonly nowMs: number
}

const dayMs = 86_400_000
const couples = [
  ["Caroline", "Melanie"],
  ["Jonas", "Priya"],
  ["Elena", "Marcus"],
  ["Tobias", "Hannah"],
  ["Wei", "Aisha"],
] as const
const openings = [
  "Hey {o}! Good to hear from you.",
  "Hi {o}, how have you been?",
  "{o}! It's been a while, what's new?",
  "Hello {o}, hope your week was fine.",
]
const chatter = [
  "That's wonderful, {o}! I'm so happy for you.",
  "Thanks, {o}! Your support means a lot to me.",
  "Haha, I know exactly what you mean.",
  "Wow, really? Tell me more about it!",
  "I feel the same, family and friends keep me going.",
  "Same here, it has been a busy time at work and with the kids.",
  "What do you do to relax these days?",
  "I mostly watch movies or take a walk when the weather is good.",
  "You're so brave, {o}. Keep following your dreams!",
  "Let's talk again soon, take care {o}!",
  "Nature always gives me a fresh view on things.",
  "Any plans for the weekend, {o}?",
  "Not really, maybe some reading or a museum or a swim.",
  "I took this picture on the way home, look at the sky!",
  "Music helps me when I feel low.",
  "It's important to make time for yourself.",
  "I'd love to go camping or hiking again one day.",
  "My dog says hello, by the way.",
  "How is your job going?",
  "It's going well, long days but good people.",
]
const times = [
  "yesterday",
  "last weekend",
  "last Friday",
  "two days ago",
  "last week",
  "a few days ago",
  "on Tuesday",
  "last month",
  "last Saturday",
  "today",
]
const tails = [
  "and it was amazing",
  "and I can't stop thinking about it",
  "and I'm so proud",
  "and it was a lot of fun",
  "which felt great",
  "",
]
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
]

interface Told {
  readonly topic: Topic
  readonly variant: number
  readonly who: number
  readonly id: string
  readonly atMs: number
}

/** A conversation of about 500 lines with labelled questions: the same for the same random numbers. */
export function longConversation(random: () => number, topics: "development" | "held-out"): LongConversation {
  const dice = diceOf(random)
  const all = topics === "development" ? developmentTopics : heldOutTopics
  const talk = new Talk(dice, dice.pick(...couples))
  const plan = dice.shuffle(all.flatMap((topic) => topic.told.flatMap((_, variant) => [{ topic, variant, who: dice.below(2) }])))
  const sessions = 20 + dice.below(8)
  let atMs = Date.UTC(2023, dice.below(6), 1 + dice.below(27), 14)
  for (let session = 0; session < sessions; session++) {
    talk.begin(`session-${session}`, atMs)
    for (const item of plan.filter((_, i) => i % sessions === session)) talk.tell(item.topic, item.variant, item.who)
    talk.end()
    atMs += (5 + dice.below(14)) * dayMs
  }
  return { lines: talk.lines, questions: dice.shuffle([...talk.questions, ...talk.summaries()]), nowMs: atMs }
}

class Talk {
  readonly lines: RecallDocument[] = []
  readonly questions: EvidenceQuestion[] = []
  readonly #told: Told[] = []
  readonly #dice: Dice
  readonly #names: readonly [string, string]
  #session = ""
  #atMs = 0
  #turn = 0

  constructor(dice: Dice, names: readonly [string, string]) {
    this.#dice = dice
    this.#names = names
  }

  begin(session: string, atMs: number): void {
    this.#session = session
    this.#atMs = atMs
    this.#turn = 0
    this.#say(this.#dice.pick(...openings), this.#turn % 2)
    this.#chat(1 + this.#dice.below(4))
  }

  end(): void {
    this.#chat(3 + this.#dice.below(8))
  }

  /** One thing told, with what is said around it, and a question or two about it. */
  tell(topic: Topic, variant: number, who: number): void {
    const dice = this.#dice
    if (this.#turn % 2 !== who) this.#say(dice.pick(...chatter), 1 - who)
    const time = dice.pick(...times)
    const lead = dice.chance(0.5) ? `${dice.pick(...chatter)} ` : ""
    const told = `${lead}I ${topic.told[variant]} ${time} ${dice.pick(...tails)}.${dice.chance(0.3) ? " What about you?" : ""}`
    const id = this.#say(told.replaceAll(" .", "."), who)
    this.#told.push({ topic, variant, who, id, atMs: this.#atMs })
    const name = this.#names[who] ?? ""
    const asked = topic.asked[Math.min(variant, topic.asked.length - 1)] ?? ""
    this.questions.push(
      dice.chance(0.6)
        ? { kind: "when", text: `When did ${name} ${asked}?`, evidence: [id] }
        : { kind: "what", text: `Did ${name} ${asked}, and what was it like?`, evidence: [id, ...this.#detail(topic, who)] },
    )
    if (topic.doing !== undefined && dice.chance(0.6)) this.#answer(topic.doing, who, name)
    this.#chat(dice.below(4))
  }

  #detail(topic: Topic, who: number): string[] {
    this.#say(`${topic.echo} How was it, {o}?`, 1 - who)
    return [this.#say(topic.detail, who)]
  }

  /** A fact that only an answer holds: its own words are not those of the question. */
  #answer([asked, partner]: readonly [string, string], who: number, name: string): void {
    this.#say(
      `${this.#dice.pick("Nice!", "So cool.", "I love that, {o}.")} How long have you been ${partner}, ${asked}, I mean?`,
      1 - who,
    )
    const years = this.#dice.pick("seven", "three", "about ten", "2", "almost 4")
    const id = this.#say(`For ${years} years now. ${this.#dice.pick(...chatter)}`, who)
    this.questions.push({ kind: "answered", text: `How long has ${name} been ${asked}?`, evidence: [id] })
  }

  #chat(lines: number): void {
    for (let i = 0; i < lines; i++)
      this.#say(
        this.#dice.chance(0.3) ? `${this.#dice.pick(...chatter)} ${this.#dice.pick(...chatter)}` : this.#dice.pick(...chatter),
        this.#turn % 2,
      )
  }

  #say(text: string, who: number): string {
    const name = this.#names[who] ?? ""
    const id = `${this.#session}:${this.#turn}`
    const other = this.#names[1 - who] ?? ""
    this.lines.push({
      id,
      text: text.replaceAll("{o}", other),
      atMs: this.#atMs + this.#turn * 60_000,
      speaker: { id: name.toLowerCase(), name },
      session: this.#session,
      turn: this.#turn++,
      importance: 5,
    })
    return id
  }

  /** Questions whose answer stands in several lines: of a month, and of a kind of thing. */
  summaries(): EvidenceQuestion[] {
    const summary = (kind: "month" | "category", text: (group: Told) => string) =>
      [...Map.groupBy(this.#told, text)].map(([text, group]) => ({ kind, text, evidence: group.map(({ id }) => id) }))
    const nameOf = ({ who }: Told) => this.#names[who] ?? ""
    const monthOf = ({ atMs }: Told) => `${months[new Date(atMs).getUTCMonth()]} ${new Date(atMs).getUTCFullYear()}`
    return [
      ...summary("month", (told) => `What did ${nameOf(told)} do in ${monthOf(told)}?`).filter((_, i) => i % 3 === 0),
      ...summary("category", (told) => `What has ${nameOf(told)} told about ${told.topic.category}?`).filter(
        (_, i) => i % 3 === 0,
      ),
    ]
  }
}

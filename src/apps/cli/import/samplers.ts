import table from "./samplers.json" with { type: "json" }

type Json = Readonly<Record<string, unknown>>

/** The settings of a preset by which a model chooses its words. */
export type Samplers = ReturnType<typeof readSamplers>

interface Sampler {
  /** Its names in presets for chat completion, text completion, KoboldAI and NovelAI, the first that is set counts. */
  readonly names: readonly string[]
  readonly min: number
  readonly max: number
  /** The value that changes nothing. */
  readonly off?: number
  /** True where OpenAI's protocol has it. */
  readonly common?: boolean
}

/** By the name of the field in a request. */
const samplers: Readonly<Record<string, Sampler>> = table

/** True for the JSON of settings of samplers alone, as text completion, KoboldAI and NovelAI have them. */
export function isSamplersJson(json: Json): boolean {
  return Object.values(samplers).filter(({ names }) => names.some((name) => typeof json[name] === "number")).length >= 3
}

/** Reads the settings of samplers. Those that change nothing are left out in silence, and those out of range with a sentence. */
export function readSamplers(json: Json, report: string[]) {
  const values = new Map<string, number>()
  const known = new Set<string>()
  for (const [field, { names, min, max, off }] of Object.entries(samplers)) {
    for (const name of names) known.add(name)
    const name = names.find((name) => json[name] !== undefined && json[name] !== null && json[name] !== "")
    const value = name === undefined ? undefined : json[name]
    if (name === undefined || value === off || value === false) continue
    if (typeof value === "number" && value >= min && value <= max) values.set(field, value)
    else report.push(`${name}: it is left out, because a profile takes a number from ${min} to ${max} there.`)
  }
  const those = (isCommon: boolean) =>
    Object.fromEntries(
      [...values].filter(([field]) => samplers[field]?.off !== undefined && (samplers[field].common === true) === isCommon),
    )
  const some = those(false)
  for (const [field, value] of Object.entries(some))
    report.push(`${field} = ${value}: the profile has it as a comment, because servers such as OpenAI's refuse it.`)
  return {
    temperature: values.get("temperature"),
    maxOutputTokens: values.get("max_output_tokens"),
    budgetTokens: values.get("tokens"),
    /** Fields of a request that OpenAI's protocol has. */
    body: those(true),
    /** Fields that only some servers take, by the names that most of them use. */
    some,
    /** The names of all fields that were read. */
    known,
  }
}

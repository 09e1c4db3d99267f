import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { parsedJson } from "../../../core/json-access.ts"
import type { Reader } from "../../../core/reader.ts"
import { priority } from "../../../core/value.ts"
import { jsonIn } from "../../../memory/services/background/read-json.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../../prompt/encode/inline.ts"
import type { JsonSchema } from "../../../prompt/tools/tool.ts"
import { checkArguments } from "../../../prompt/tools/tool-schema.ts"
import { PartialJson } from "../../../reply/json/partial-json.ts"
import { createPlainTextReader, type ReplyPart } from "../../../reply/thinking.ts"
import type { TurnContext } from "../turn-context.ts"

/** The key of a profile's format, in whose place the form of a structured answer stands. */
const formKey = "format"

/** So much of an answer that does not fit is shown to the model again, in UTF-16 units. */
const shownCharacters = 4_000

/** The faults of an answer as the prompt of the next try tells them. */
interface Fault {
  readonly issues: readonly string[]
  readonly text: string
}

/**
 * The answer of a turn that asked for a value. The model's text goes in by `say`; it is read as it comes, and each growth is an event.
 * Nothing of it is shown as text before the whole of it fits the schema.
 */
export class StructuredAnswer {
  /** The text of the answer so far. */
  said = ""
  /** Text that was not yet checked can always be asked for again. */
  readonly hasShown = false
  /** The value as the schema returns it. Set by {@link settle}. */
  value: unknown
  readonly jsonSchema: JsonSchema
  readonly #schema: StandardSchemaV1
  readonly #turn: TurnContext
  #partial = new PartialJson()
  /** The length of the text at the last event. */
  #toldAt = 0
  #isTold = true
  #fault: Fault | undefined

  /** Throws `usage` for a schema that has no JSON Schema. */
  constructor(turn: TurnContext, schema: StandardSchemaV1) {
    this.#turn = turn
    this.#schema = schema
    this.jsonSchema = jsonSchemaOf(schema)
  }

  /**
   * Separates thoughts before the answer. From its first character on, all is the answer: a tag in a string of it begins no thought, and
   * an object of it is no decision.
   */
  reader(options: Parameters<typeof createPlainTextReader>[0]): Reader<string, ReplyPart> {
    const thoughts = createPlainTextReader(options)
    let isAnswer = false
    return {
      push(chunk) {
        const parts: { thinking: string; text: string } = { thinking: "", text: "" }
        let at = 0
        for (; at < chunk.length && !isAnswer; at++) {
          for (const { type, delta } of thoughts.push(chunk.charAt(at))) parts[type] += delta
          isAnswer = parts.text.trim() !== ""
        }
        parts.text += chunk.slice(at)
        const { thinking, text } = parts
        return [...(thinking === "" ? [] : [{ type: "thinking" as const, delta: thinking }]), { type: "text", delta: text }]
      },
      end: () => thoughts.end(),
    }
  }

  say(delta: string): void {
    this.said += delta
    this.#isTold = !this.#partial.push(delta) && this.#isTold
    // A long value is told less often, so that all events together cost no more than a few copies of it.
    if (!this.#isTold && this.said.length - this.#toldAt >= this.said.length >> 8) this.#tell()
  }

  /** The text so far belongs to a tool call and is no answer. */
  part(): void {
    this.restart()
  }

  /** Forgets what was said, because the model is asked again. */
  restart(): void {
    this.said = ""
    this.#partial = new PartialJson()
    this.#toldAt = 0
    this.#isTold = true
  }

  /** Tells the form of the answer in the next request, and what was wrong with the last one. */
  tell(prompt: string): void {
    const { agent, progress, stack } = this.#turn
    const models = progress.step?.models ?? agent.models
    // Providers keep to a schema only if it is one of an object.
    const isKept = this.jsonSchema.type === "object" && models.every(({ capabilities }) => capabilities.jsonSchema === true)
    const { issues, text } = this.#fault ?? { issues: [], text: "" }
    const content = renderNotice(agent.dialect, "answer-form", {
      planner: prompt === "planner",
      answer: prompt !== "planner",
      schema: isKept ? "" : JSON.stringify(this.jsonSchema),
      issues: issues.map(encodeInline).join("; "),
      last: encodeInline(text.slice(0, shownCharacters).toWellFormed()),
    })
    stack.add({ key: formKey, content, scope: "turn", priority: priority.characterProfile })
  }

  /**
   * Checks the answer, and asks for it once more by `again` if it does not fit. Shows it as text once it does. Throws `output-schema` with
   * the last answer if it never does.
   */
  async settle(again: () => Promise<unknown>): Promise<void> {
    for (let round = 1; ; round++) {
      if (!this.#isTold) this.#tell()
      const { type } = this.jsonSchema
      const read = parsedJson(this.said) ?? jsonIn(this.said, type === "object" || type === "array" ? type : undefined)
      const checked = read === undefined ? undefined : await checkArguments(this.#schema, read)
      this.#turn.signal.throwIfAborted()
      if (checked?.ok === true) {
        this.value = checked.value
        this.#turn.progress.answer.say(JSON.stringify(read))
        return
      }
      this.#fault = { issues: checked?.issues ?? [], text: this.said }
      if (round === 2) throw this.#misfit(this.#fault)
      this.restart()
      await again()
    }
  }

  #misfit({ issues, text }: Fault): PromptStrataError {
    const found = issues.length > 0 ? issues.join("; ") : `no JSON, but ${JSON.stringify(text.slice(0, 80))}`
    const message = `expected an answer that fits the schema of \`output\`, found ${found}.`
    const hint = "The model was told and asked again. Loosen the schema, describe its members, or use another model."
    return new PromptStrataError("output-schema", message, { hint, evidence: { issues, text } })
  }

  #tell(): void {
    this.#toldAt = this.said.length
    this.#isTold = true
    const value = this.#partial.value()
    if (value !== undefined) this.#turn.emit({ type: "partial-output", value })
  }
}

function jsonSchemaOf(schema: StandardSchemaV1): JsonSchema {
  const standard = schema?.["~standard"] as (StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>) | undefined
  if (typeof standard?.validate !== "function")
    throw new PromptStrataError("usage", "expected `output` to be a Standard Schema, such as one of zod.")
  if (typeof standard.jsonSchema?.input !== "function") {
    const message = `The schema of \`output\` (${standard.vendor}) has no JSON Schema, which the model needs.`
    const hint = 'For valibot, wrap it by `toStandardJsonSchema` of "@valibot/to-json-schema".'
    throw new PromptStrataError("usage", message, { hint })
  }
  try {
    const { $schema: _dialect, ...rest } = standard.jsonSchema.input({ target: "draft-2020-12" })
    return rest
  } catch (cause) {
    const message = `The schema of \`output\` cannot be converted to JSON Schema: ${messageOf(cause)}`
    throw new PromptStrataError("usage", message, { cause, hint: "Use types that JSON has, such as a string for a date." })
  }
}

import type { NoEvidence } from "./files.ts"

/** Tools */
export interface ToolErrors {
  /** A tool has a name, a schema or a setting that cannot be used. @remarks Correct the definition of the tool. */
  readonly "tool-definition": {
    /** The tool's name. */ readonly tool?: string | undefined
    /** The setting that is wrong, such as `timeoutMs`. */ readonly setting?: string | undefined
    /** The type that the schema of the arguments has in place of an object. */ readonly type?: unknown
    /** The library that made the schema. */ readonly vendor?: string | undefined
  }
  /** Two tools have one name. @remarks Rename one, or leave it out; a built-in one is left out of `enabled` under `[tools]`. */
  readonly "tool-collision": {
    /** The name that both have. */ readonly tool: string
    /** The descriptions of both. */ readonly descriptions: readonly string[]
  }
  /**
   * A tool refuses its arguments. In a turn the model reads the message and may call again.
   * @remarks In a turn, nothing. Throw it in a tool of your own to tell the model what to change.
   */
  readonly "tool-arguments": {
    /** The tool's own name for what is wrong. */ readonly fault?: string | undefined
    /** The time zone that is not known. */ readonly timeZone?: string | undefined
    /** Names that are like the one that was given. */ readonly near?: readonly string[] | undefined
    /** The values of the tool's answer to the model. */ readonly values?: Readonly<Record<string, unknown>> | undefined
  }
  /**
   * A tool did not end within its time limit. In a turn the model reads that it happened. Tools of `toAiSdkTools` throw it.
   * @remarks Make the tool faster, or raise its `timeoutMs`.
   */
  readonly "tool-timeout": {
    /** The tool's name. */ readonly tool?: string | undefined
    /** The time limit, in milliseconds. */ readonly timeoutMs?: number | undefined
  }
}

/** Models */
export interface ModelErrors {
  /**
   * The provider refused the request, could not be reached, or broke off; or the model's adapter threw.
   * @remarks Follow the hint. Where `isRetryable` is true, a turn has tried again as often as `[retry]` says.
   */
  readonly model: ModelFailure
  /**
   * The model was silent, or a step lasted, longer than a limit.
   * @remarks Check whether the model is overloaded, or raise the limit under `[limits]`.
   */
  readonly "model-stall": {
    /** The model's id. */ readonly model?: string | undefined
    /** The limit's key under `[limits]`. */ readonly limit?: "firstTokenMs" | "betweenChunksMs" | "stepMs" | undefined
    /** The limit's value, in milliseconds. */ readonly limitMs?: number | undefined
  }
  /**
   * The model's final answer was empty.
   * @remarks Ask again. If `finishReason` is `length`, raise `max_output_tokens` under `[model]`.
   */
  readonly "model-empty": {
    /** The model's id. */ readonly model?: string | undefined
    /** The reason that the model gave for its end, such as `length`. */ readonly finishReason?: string | undefined
  }
}

/** Turns */
export interface TurnErrors {
  /** A turn did not end within its time limit. @remarks Raise `turn_ms` under `[limits]`, or allow fewer steps. */
  readonly "turn-timeout": {
    /** The limit's key under `[limits]`. */ readonly limit: "turnMs"
    /** The limit's value, in milliseconds. */ readonly limitMs: number
    /** Present if the answer was being stored. Nobody knows then whether it was. */ readonly commit?: "unknown" | undefined
  }
  /**
   * A request was not sent, because the turn, or all calls for its user on this day, would have used more tokens or money than they may.
   * @remarks Raise the limit under `[limits]`, name another model under `[fallback_model]`, or allow fewer steps. Give a model that has no price one under `[prices]`.
   */
  readonly "spending-limit": {
    /** The limit's key under `[limits]`. */ readonly limit: "turnTokens" | "turnUsd" | "dailyTokens" | "dailyUsd"
    /** The limit's value: tokens, or US dollars. */ readonly most: number
    /** The sum of the calls before, of a turn with its child agents. Absent if the model has no price, so that nothing can be counted. */ readonly used?:
      | number
      | undefined
    /** How much of this was estimated, because the provider told none. */ readonly estimated?: number | undefined
    /** The estimate of the request. */ readonly asked?: number | undefined
    /** The id of the model that was to be asked. */ readonly model: string
    /** The milliseconds until the user's next day; absent for a limit of the turn. */ readonly retryAfterMs?: number | undefined
  }
  /**
   * An answer to an approval that nobody waits for, or that cannot be carried out.
   * @remarks Ask the person again if `session.approvals()` still lists it.
   */
  readonly approval: {
    /**
     * `unknown`: the conversation has no such approval. `answered`: it was answered or withdrawn. `claimed`: it was allowed, and the call
     * has begun elsewhere or was cut off. `expired`: nobody answered in time. `not-asked`: it is for another person
     * to answer. `tool-changed`, `tool-gone`: the tool is not the one that was asked about.
     */
    readonly fault: "unknown" | "answered" | "claimed" | "expired" | "not-asked" | "tool-changed" | "tool-gone"
    /** The id that was given. */ readonly id: string
    /** The tool's name. */ readonly tool?: string | undefined
  }
  /** The caller aborted the work. `cause` is the reason of the signal. @remarks Nothing. */
  readonly aborted: {
    /** The id of the turn whose message ended this one, with `interrupt = "abort"`, or that answered its words while they waited. */ readonly interruptedBy?:
      | string
      | undefined
    /** Present if the answer was being stored. Nobody knows then whether it was. */ readonly commit?: "unknown" | undefined
  }
  /**
   * The model's answer does not fit the schema of `output`, also after it was told and asked again.
   * @remarks Loosen the schema, describe its members, or use another model.
   */
  readonly "output-schema": {
    /** One line for each fault; empty if the answer is no JSON. */ readonly issues: readonly string[]
    /** The model's last answer. */ readonly text: string
  }
  /** A turn was started with an empty text and without attachments. @remarks Pass a text that is not blank, or a file. */
  readonly "empty-question": NoEvidence
  /**
   * The model's answer to a reflection, a job after the turn, cannot be read.
   * @remarks Nothing: the job is tried again. If it happens often, use a stronger model for it.
   */
  readonly decision: NoEvidence
}

/** The kind of a model's failure, by what a person can do about it. */
export type ModelFaultKind =
  | "bad-request"
  | "credentials"
  | "forbidden"
  | "not-found"
  | "quota"
  | "rate-limit"
  | "server"
  | "web-page"
  | "not-streamed"
  | "reported"
  | "broken"
  | "refused"
  | "no-such-host"
  | "certificate"
  | "timeout"
  | "network"
  | "other"

/** A failed request to a model. */
export interface ModelFailure {
  /** The model's id, such as `openai:gpt-5-mini`. */ readonly model?: string | undefined
  /** True where the same request may succeed later. A turn tries such a request again. */
  readonly isRetryable?: boolean | undefined
  /** The time that the server asks to wait, in milliseconds. */ readonly retryAfterMs?: number | undefined
  /** The kind of the failure. */ readonly kind?: ModelFaultKind | undefined
  /** The provider's reason for a refused request, where it tells one of these. */ readonly refused?:
    | "context-length"
    | "content-filter"
    | undefined
  /** The HTTP status. */ readonly status?: number | undefined
  /** The provider's id of the request, for its support. */ readonly requestId?: string | undefined
}

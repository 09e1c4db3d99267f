/** What a number of a profile may be; `max` only where more would be a mistake. */
export interface Bounds {
  readonly min: number
  readonly max?: number
  readonly integer: boolean
}

const count: Bounds = { min: 1, integer: true }
/** A timer beyond this fires at once: the runtime keeps the delay in 32 bits. */
const milliseconds: Bounds = { min: 1, max: 2_147_483_647, integer: true }
const tokens: Bounds = { min: 0, integer: true }
const weight: Bounds = { min: 0, integer: false }
const share: Bounds = { min: 0, max: 1, integer: false }

const profileBounds = {
  "loop.maxSteps": { ...count, max: 1_000 },
  "limits.firstTokenMs": milliseconds,
  "limits.betweenChunksMs": milliseconds,
  "limits.toolMs": milliseconds,
  "limits.prestartMs": milliseconds,
  "limits.stepMs": milliseconds,
  "limits.turnMs": milliseconds,
  "limits.confirmMs": milliseconds,
  "history.contextCount": { min: 0, integer: true },
  "retry.maxAttempts": { ...count, max: 100 },
  "retry.baseDelayMs": milliseconds,
  "retry.maxDelayMs": milliseconds,
  "memory.recallLimit": { min: 0, integer: true },
  "memory.importanceThreshold": { min: 0, max: 10, integer: false },
  "memory.reflectEvery": { min: 0, max: 1_000, integer: true },
  "memory.reflectImportance": { min: 1, integer: false },
  "memory.duplicateSimilarity": { min: 0.5, max: 1, integer: false },
  "memory.batchTurns": { ...count, max: 50 },
  "memory.dailyCalls": { min: 0, integer: true },
  "memory.stepMs": milliseconds,
  "memory.profileCharacters": { min: 0, integer: true },
  "recallWeights.words": weight,
  "recallWeights.grams": weight,
  "recallWeights.characters": weight,
  "recallWeights.phrase": weight,
  "recallWeights.neighbours": weight,
  "recallWeights.session": weight,
  "recallWeights.speaker": weight,
  "recallWeights.time": weight,
  "recallWeights.answer": weight,
  "recallWeights.vector": weight,
  "recallWeights.recency": weight,
  "recallWeights.importance": weight,
  "context.olderCharacters": count,
  "documents.maxCharacters": count,
  "documents.minShare": share,
  "documents.nearlyEmptyCharacters": { min: 0, integer: true },
  "documents.nearLimitShare": share,
  "budget.tokens": count,
  "budget.answerTokens": tokens,
  "budget.stepTokens": tokens,
  "tools.maxResultCharacters": count,
  "model.temperature": { min: 0, max: 2, integer: false },
  "model.maxOutputTokens": count,
  "prestart.timeoutMs": milliseconds,
} satisfies Record<string, Bounds>

/** A number of a profile, by its path; `prestart.timeoutMs` stands for that of every entry. */
export type BoundedPath = keyof typeof profileBounds

/** Every number that a profile has. */
export const boundedPaths = Object.keys(profileBounds) as readonly BoundedPath[]

/** The bounds of a number: one truth for profiles from code and from files. */
export function boundsOf(path: BoundedPath): Bounds {
  return profileBounds[path]
}

/** What is expected of a number: `a whole number of at least 1`. */
export function describeBounds({ min, max, integer }: Bounds): string {
  const kind = integer ? "a whole number" : "a number"
  return max === undefined ? `${kind} of at least ${min}` : `${kind} from ${min} to ${max}`
}

/** True when `value` keeps to the bounds. */
export function isWithin(value: number, { min, max, integer }: Bounds): boolean {
  if (integer ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return false
  return value >= min && (max === undefined || value <= max)
}

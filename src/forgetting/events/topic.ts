/** When a topic counts as ended. */
export interface TopicSettings {
  /** After so long without a word. */
  readonly gapMs: number
  /** After so many turns. */
  readonly maxTurns: number
}

/** A stretch of the conversation that is becoming an event: plain JSON. */
export interface Topic {
  /** The turn with which it began. */
  readonly id: string
  readonly fromMs: number
  /** When its last turn so far began. */
  readonly lastMs: number
  readonly turns: number
}

/** A topic that has ended, until it has become an event. */
export interface EndedTopic extends Topic {
  /** Before the first word of the next one. */
  readonly beforeMs: number
  /** The number of the turn that ended it. */
  readonly endedTurn: number
}

/** What a turn does to the topic at hand: goes on with it, or ends it and begins another (R20). */
export function nextTopic(
  topic: Topic | undefined,
  turn: { readonly id: string; readonly atMs: number; readonly turn: number },
  { gapMs, maxTurns }: TopicSettings,
): { readonly topic: Topic; readonly ended?: EndedTopic } {
  const begun = { id: turn.id, fromMs: turn.atMs, lastMs: turn.atMs, turns: 1 }
  if (topic === undefined) return { topic: begun }
  if (turn.atMs - topic.lastMs <= gapMs && topic.turns < maxTurns) {
    return { topic: { ...topic, lastMs: Math.max(topic.lastMs, turn.atMs), turns: topic.turns + 1 } }
  }
  return { topic: begun, ended: { ...topic, beforeMs: Math.max(turn.atMs, topic.fromMs + 1), endedTurn: turn.turn } }
}

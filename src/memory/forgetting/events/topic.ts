/** When a topic counts as ended. */
export interface TopicSettings {
  /** After this time without a message. */
  readonly gapMs: number
  /** After so many turns. */
  readonly maxTurns: number
}

/** A part of the conversation that is to become an event: plain JSON. */
export interface Topic {
  /** The id of its first turn. */
  readonly id: string
  readonly fromMs: number
  /** The begin of its last turn so far. */
  readonly lastMs: number
  readonly turns: number
}

/** A topic that has ended and has not become an event yet. */
export interface EndedTopic extends Topic {
  /** The begin of the next topic. */
  readonly beforeMs: number
  /** The number of the turn that ended it. */
  readonly endedTurn: number
}

/** Adds a turn to the current topic, or ends the topic and begins another one (R20). */
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

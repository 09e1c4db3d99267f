import type { BackgroundJob, JobContext } from "../../../services/background/background-job.ts"
import { promptData } from "../../../services/background/dialogue.ts"
import { shorten } from "../../../services/shorten-by-rule.ts"
import { virtualContextNote } from "../context-state.ts"
import { virtualContextName } from "../virtual-context-name.ts"
import type { VirtualContextSettings } from "../virtual-context-settings.ts"
import { askOrRule } from "./ask-or-rule.ts"

const kind = "compress"

/**
 * Compresses a turn's answer in the background if it is longer than a compressed message may be (R12): by rule, or by the agent's model
 * with the prompt `compress`. Users' messages are never compressed.
 */
export function compressJob({ compression }: VirtualContextSettings): BackgroundJob {
  const { targetCharacters, writer } = compression
  return {
    kind: `${virtualContextName}:${kind}`,
    afterTurn({ memoryOn, turnId, messages }) {
      const answer = messages.findLast(({ role }) => role === "assistant")?.text ?? ""
      return memoryOn && answer.length > targetCharacters ? { turnId, text: answer } : undefined
    },
    async run({ payload }, context) {
      const { turnId, text } = payload as { readonly turnId: string; readonly text: string }
      const compressed = writer === "rule" ? shorten(text, targetCharacters) : await byModel(text, targetCharacters, context)
      await context.post(virtualContextNote(`${kind}:${turnId}`, [{ type: "compressed", turnId, text: compressed }]))
    },
  }
}

function byModel(text: string, limit: number, context: JobContext): Promise<string> {
  const read = (answer: string) => (answer.trim() === "" ? undefined : shorten(answer, limit))
  const data = [promptData("message", { text, trust: "agent" }, "agent"), promptData("limit", String(limit), "author")]
  return askOrRule(context, { kind, prompt: "compress", data, read, rule: () => shorten(text, limit) })
}

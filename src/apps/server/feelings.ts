import type { FileAttachment } from "../../core/conversation.ts"
import type { Agent } from "../../loop/agent/agent.ts"
import { contextOf } from "../../loop/agent/published-agents.ts"
import { fileHeader } from "../../memory/services/attachments/file-header.ts"
import { foldLetters } from "../../prompt/encode/fold.ts"
import { withBrokenLinks } from "../../trace/guard-links.ts"
import type { TurnSegment } from "../../trace/segments.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import { decoded, HttpProblem } from "./http-problem.ts"

/** A segment as protocols send it. */
export interface SegmentData extends Omit<TurnSegment, "files" | "asset"> {
  readonly files: readonly Pick<FileAttachment, "path" | "mediaType">[]
}

/** A segment without the data of its files, which the protocol has already, and without its asset, which may be a path of this computer. */
export function segmentData({ files, asset: _, ...segment }: TurnSegment): SegmentData {
  return { ...segment, files: files.map(({ path, mediaType }) => ({ path, mediaType })) }
}

/**
 * The picture of an emotion, else the neutral one, else the portrait; without a name, the names of all that there are (C42). A name opens
 * no file: it is looked up among the pictures that the character has. Throws {@link HttpProblem} if there is none.
 */
export async function spriteResponse(agent: Agent, name: string | undefined): Promise<Response> {
  const { plugins } = await contextOf(agent)
  const pictures = plugins.find(({ sprites }) => sprites)?.sprites?.().pictures ?? new Map<string, Uint8Array>()
  if (name === undefined)
    return Response.json({ object: "list", data: [...pictures.keys()].map((id) => ({ id, object: "sprite" })) })
  const key = [foldLetters(decoded(name).trim()), "neutral", "portrait"].find((each) => pictures.has(each)) ?? ""
  const picture = pictures.get(key)
  const type = picture && fileHeader(picture)?.mediaType
  if (!picture || !type?.startsWith("image/")) throw new HttpProblem(404, "The character has no picture for this.")
  const headers = { "content-type": type, "x-content-type-options": "nosniff", "content-security-policy": "default-src 'none'" }
  return new Response(new Uint8Array(picture), { headers })
}

/** The progress of a tool. Its message may have only links of `links`. */
export function progressData(
  { id: toolCallId, tool, progress: { message, ...progress } }: TurnEvent & { readonly type: "tool-progress" },
  links: readonly string[] = [],
) {
  return { toolCallId, tool, ...progress, message: message && withBrokenLinks(message, links) }
}

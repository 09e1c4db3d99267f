import type { FileAttachment } from "../../core/conversation.ts"
import { withBrokenLinks } from "../../trace/guard-links.ts"
import type { TurnSegment } from "../../trace/segments.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"

/** A segment as protocols send it. */
export interface SegmentData extends Omit<TurnSegment, "files" | "asset"> {
  readonly files: readonly Pick<FileAttachment, "path" | "mediaType">[]
}

/** A segment without the data of its files, which the protocol has already, and without its asset, which may be a path of this computer. */
export function segmentData({ files, asset: _, ...segment }: TurnSegment): SegmentData {
  return { ...segment, files: files.map(({ path, mediaType }) => ({ path, mediaType })) }
}

/** The progress of a tool. Its message may have only links of `links`. */
export function progressData(
  { id: toolCallId, tool, progress: { message, ...progress } }: TurnEvent & { readonly type: "tool-progress" },
  links: readonly string[] = [],
) {
  return { toolCallId, tool, ...progress, message: message && withBrokenLinks(message, links) }
}

import type { Dialect } from "../../dialect/dialect.ts"
import { promptFile, renderNotice } from "../../dialect/render-notice.ts"
import type { TemplateValues } from "../../template/render.ts"
import type { NoticeText } from "../cut/notice.ts"
import type { Notices } from "./shrunk.ts"

/** The dialect's words for what was cut. */
export function dialectNotices(dialect: Dialect): Notices {
  const say = (name: string, values: TemplateValues): NoticeText => {
    const source = promptFile(dialect, name).template.nodes[0]?.source
    return { text: renderNotice(dialect, name, values), ...(source ? { source } : {}) }
  }
  return {
    truncated: (counts) => say("truncated", counts),
    // A dialect of somebody's own may have one file for both.
    entriesDropped: ({ byScore, ...counts }) =>
      say(byScore && dialect.files.has("entries-outranked") ? "entries-outranked" : "entries-dropped", counts),
  }
}

import { fold } from "../../../src/prompt/encode/fold.ts"
import type { Markers } from "../../../src/prompt/encode/lines.ts"

const fayHeadings = ["提问内容", "系统设定", "额外观察", "关联记忆", "预启动工具结果", "可用工具", "历史工具执行", "最近对话"]

/** Lines that prompts of every dialect are made of, as they stand in the files. */
export const markerLines = [
  ...fayHeadings.map((heading) => `**${heading}**`),
  "---",
  "[memory context]",
  "[/memory context]",
  '<prestart keep="true">',
  "</prestart>",
]

/** A dialect's markers with whole lines, heads and fences. */
export const markers: Markers = { lines: new Set(markerLines.map(fold)), heads: ["## ", "【"].map(fold), fences: true }

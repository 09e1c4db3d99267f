import type { ModelTool } from "../../../../src/core/model/language-model.ts"

function tool(
  name: string,
  description: string,
  parameters: Readonly<Record<string, string>>,
  required: readonly string[],
): ModelTool {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, words]) => [key, { type: "string", description: words }]),
  )
  return { name, description, inputSchema: { type: "object", properties, required } }
}

/** The tools of `fay`, described in Chinese. */
export const chineseTools: readonly ModelTool[] = [
  tool("query_weather", "查询天气信息", { city: "城市名称" }, ["city"]),
  tool("add_schedule", "添加日程", { title: "标题", content: "内容", schedule_time: "时间，例如 2026-11-21 09:00" }, [
    "title",
    "schedule_time",
  ]),
  tool("list_schedule", "列出所有日程", {}, []),
  tool("calculate", "计算一个数学算式", { expression: "算式，例如 17*23" }, ["expression"]),
  tool("current_time", "查询现在的日期、时间和星期", { timezone: "IANA 时区名，例如 Asia/Shanghai" }, []),
  tool("search_docs", "在知识库里检索文档", { query: "关键词" }, ["query"]),
]

/** The same tools described in English. */
export const englishTools: readonly ModelTool[] = [
  tool("query_weather", "Look up the weather", { city: "City name" }, ["city"]),
  tool(
    "add_schedule",
    "Adds an entry to the schedule",
    { title: "what it is", content: "more about it", schedule_time: "when, such as 2026-11-21 09:00" },
    ["title", "schedule_time"],
  ),
  tool("list_schedule", "Lists the entries of the schedule", {}, []),
  tool("calculate", "Calculates an arithmetic expression", { expression: "the expression, such as 17*23" }, ["expression"]),
  tool(
    "current_time",
    "Tells the current date, time and day of the week",
    { timezone: "IANA time zone, such as Europe/London" },
    [],
  ),
  tool("search_docs", "Searches the documents", { query: "keywords" }, ["query"]),
]

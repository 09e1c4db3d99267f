import type { TurnWarning } from "../src/trace/trace.ts"

/** Why a part of a request was cut or left out, in Chinese. The numbers and names of the English text stand at `$1`. */
const zhReasons: readonly (readonly [RegExp, string])[] = [
  [/^over budget, and rank (\S+) is the lowest left$/u, "超出预算，余下的里面排位 $1 最低"],
  [/^over budget with (\S+) tokens kept free for the turn$/u, "为这一轮留出 $1 个 token 后超出预算"],
  [
    /^over budget with (\S+) tokens kept free for the turn, and rank (\S+) is the lowest left$/u,
    "为这一轮留出 $1 个 token 后超出预算，余下的里面排位 $2 最低",
  ],
  [/^more than its ceiling of (\S+) tokens$/u, "超过自身上限 $1 个 token"],
  [/^more than its limit of (\S+) characters$/u, "超过自身上限 $1 个字符"],
  [/^more than its limit of (\S+)$/u, "超过自身上限 $1"],
  [/^dropped with (.*), of its group$/u, "随同组的 $1 一起舍弃"],
  [/^cut earlier in this turn$/u, "这一轮先前的请求里已缩短"],
  [/^another injection of its key took its place$/u, "被同名的另一条注入取代"],
  [/^only a turn may fill its key$/u, "这个名字只能在一轮之内填写"],
  [/^the profile leaves it out$/u, "配置没有选用它"],
  [/^the prompt file omits it$/u, "提示词文件略去了它"],
  [/^nothing visible was left of it$/u, "清理后没有可见的内容"],
  [/^it is a flag, and the prompt file has no condition on it$/u, "它是开关，而提示词文件没有用到这个条件"],
  [/^its slot stands in a branch that was not taken$/u, "它的位置在没有走到的分支里"],
  [/^the file that prints it left it out$/u, "输出它的文件没有用它"],
  [/^history is cut in steps, so that .*$/u, "历史按步裁剪，让服务商的缓存在好几轮里都能提供它的开头"],
  [/^tool runs of earlier turns had more than (\S+) tokens$/u, "之前几轮的工具结果超过 $1 个 token"],
  [
    /^attachments of earlier messages are only named: (\S+); the newest are shown: (\S+)$/u,
    "之前消息的 $1 个附件只列名字，只显示最新的 $2 个",
  ],
]

/** A reason in Chinese, or as it is if it is not known, such as one of a plugin. */
export function zhReason(reason: string): string {
  const found = zhReasons.find(([pattern]) => pattern.test(reason))
  if (found) return reason.replace(...found)
  const parts = reason.split(/; (?:then )?/u)
  const told = parts.length > 1 ? parts.map(zhReason) : parts
  return told.every((part, at) => part === parts[at]) ? reason : told.join("；")
}

const zhOutcomes: Readonly<Record<string, string>> = {
  in: "已放入",
  empty: "没有文字",
  disabled: "已关闭",
  conditions: "条件不符",
  character: "属于另一个角色",
  delay: "会话还太短（delay）",
  cooldown: "冷却中（cooldown）",
  recursion: "等待递归",
  "max recursion": "递归步数已到上限（max_recursion）",
  key: "范围内没有触发词",
  "required key": "缺少必需的触发词",
  "excluded key": "出现了排除的触发词",
  "secondary key": "次要触发词不符",
  group: "同组的另一条目入选",
  probability: "概率未中",
  room: "超出世界书的预算",
}

/** The outcome for an entry of a lorebook in Chinese, or as it is. */
export function zhOutcome(outcome: string): string {
  return Object.hasOwn(zhOutcomes, outcome) ? (zhOutcomes[outcome] ?? outcome) : outcome
}

const zhWarnings: Readonly<Record<TurnWarning["kind"], string>> = {
  prestart: "预启动工具",
  recall: "召回",
  hook: "钩子",
  model: "模型",
  sanitised: "不可见字符",
  decision: "决定",
  tool: "工具",
  commit: "保存",
  format: "格式",
  budget: "预算",
  document: "文档",
  plugin: "插件",
  file: "文件",
  links: "链接",
  mention: "提及",
}

/** The kind of a warning in Chinese, or as it is. The message itself is English on every page. */
export function zhWarning(kind: string): string {
  return Object.hasOwn(zhWarnings, kind) ? zhWarnings[kind as TurnWarning["kind"]] : kind
}

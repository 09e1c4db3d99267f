/** The words of the page's chat. */
export const chatEn = {
  waiting: "Waiting for you",
  waitingCalls: (tools: readonly string[]) =>
    `${tools.length === 1 ? "A call waits" : `${tools.length} calls wait`} for your answer: ${tools.join(", ")}.`,
  waitingTurn: "waits for your answer",
  withArgs: "Arguments of the call",
  allow: "Allow",
  deny: "Deny",
  whyNotRun: "Reason, if you deny (optional)",
  goesOn: "Answered. The turn goes on …",
  waitedTooLong: "This has waited too long, so nothing was done. Write something to go on.",
  moreCharacters: (count: number) => `… (${count.toLocaleString("en")} more characters)`,
}

export const chatZh: typeof chatEn = {
  waiting: "等你回答",
  waitingCalls: (tools) => `有 ${tools.length} 个调用在等你回答：${tools.join("、")}。`,
  waitingTurn: "在等你回答",
  withArgs: "调用的参数",
  allow: "允许",
  deny: "拒绝",
  whyNotRun: "拒绝的理由（可不填）",
  goesOn: "已回答，回合继续……",
  waitedTooLong: "等得太久，已经过期，什么都没做。说点什么就能继续。",
  moreCharacters: (count) => `……（还有 ${count.toLocaleString("en")} 个字符）`,
}

/** A plugin: a module that exports one. `[plugins] enabled` in the profile names it. */
export const plugin = {
  name: "dice",
  tools: [
    {
      name: "roll_dice",
      description: "掷骰子，返回点数",
      usageHint: "用户想掷骰子，或者想碰碰运气时",
      jsonSchema: {
        type: "object",
        properties: {
          count: { type: "integer", minimum: 1, maximum: 20, default: 1, description: "骰子的个数" },
          sides: { type: "integer", minimum: 2, maximum: 1000, default: 6, description: "每个骰子的面数" },
        },
      },
      // The same call again is no mistake here: it gives another number.
      repeatable: true,
      execute: ({ count = 1, sides = 6 }) => rollDice({ count, sides }).join(", "),
    },
  ],
}

/** `random` gives numbers from 0 to below 1, so that a test knows what is rolled. */
export function rollDice({ count, sides }, random = Math.random) {
  if (!Number.isInteger(count) || count < 1 || count > 20) throw new RangeError("count：骰子应为 1 到 20 个")
  if (!Number.isInteger(sides) || sides < 2 || sides > 1000) throw new RangeError("sides：面数应为 2 到 1000")
  return Array.from({ length: count }, () => 1 + Math.floor(random() * sides))
}

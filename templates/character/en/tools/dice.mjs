/** A plugin: a module that exports one. `[plugins] enabled` in the profile names it. */
export const plugin = {
  name: "dice",
  tools: [
    {
      name: "roll_dice",
      description: "Rolls dice and tells what they show",
      usageHint: "when the user wants to roll dice, or to leave something to chance",
      jsonSchema: {
        type: "object",
        properties: {
          count: { type: "integer", minimum: 1, maximum: 20, default: 1, description: "how many dice" },
          sides: { type: "integer", minimum: 2, maximum: 1000, default: 6, description: "how many sides each has" },
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
  if (!Number.isInteger(count) || count < 1 || count > 20) throw new RangeError("count: expected 1 to 20 dice")
  if (!Number.isInteger(sides) || sides < 2 || sides > 1000) throw new RangeError("sides: expected 2 to 1000 sides")
  return Array.from({ length: count }, () => 1 + Math.floor(random() * sides))
}

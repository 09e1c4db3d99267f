/** Choices by chance, the same for the same random numbers. */
export interface Dice {
  /** True that often. */
  chance(share: number): boolean
  /** A whole number from 0, below that one; 0 for 0. */
  below(end: number): number
  pick<T>(...choices: readonly [T, ...T[]] | readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
  /** From single bytes to more than a body. */
  packetBytes(): number
}

export function diceOf(random: () => number): Dice {
  const below = (end: number) => Math.floor(random() * end)
  return {
    chance: (share) => random() < share,
    below,
    pick: <T>(...choices: readonly T[]) => choices[below(choices.length)] as T,
    shuffle: <T>(items: readonly T[]) => {
      const left = [...items]
      return Array.from(items, () => left.splice(below(left.length), 1)[0] as T)
    },
    packetBytes: () => (random() < 0.1 ? 1 + below(10) : 50 + below(2_000)),
  }
}

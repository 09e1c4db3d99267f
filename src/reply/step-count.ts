/** Counts the characters a reader looks at, so that a test can hold its work linear without a clock. */
export interface StepCount {
  steps: number
}

/** Work that is done in steps. Each yields about how many terms or values it has handled since the step before. */
export type Steps<T> = Generator<number, T>

/** A step ends after about so many terms or values. That many take about a millisecond. */
export const stepUnits = 1_024

/** Does all steps at once. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** How a lane is started, whatever starts it. */
export interface LaneStart {
  /** The program and its arguments, each as the program is to see it. */
  readonly command: readonly [string, ...string[]]
  /** Absolute. */
  readonly workingFolder: string
  /** Absolute. */
  readonly dataFolder: string
}

/** A line's end, or another sign that no line of a settings file can hold. */
export const hasUnprintable = (text: string): boolean => /\p{Cc}/u.test(text)

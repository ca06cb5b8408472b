/** Who asks for a command. */
export interface Asker {
  /** Names their window; null where they have none. */
  readonly window: string | null
  /** Who is signed in at it, where the command is for staff alone; null where nobody is. */
  readonly staffId: string | null
}

/**
 * Whether an answer is told to who asks for it again: the same window, and nobody else at it. A start signs everybody
 * out, so that nobody may be there by then. What was asked for without a window is bound to what was asked alone: the
 * launch link.
 */
export const mayBeTold = (asked: Asker, again: Asker): boolean =>
  asked.window === null ||
  (asked.window === again.window && (again.staffId === null || asked.staffId === again.staffId))

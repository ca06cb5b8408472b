/** What a window is answered to a command, and is answered again. */
export interface CommandAnswer {
  /** HTTP status. */
  readonly status: number
  /** The bytes of the body, as they were sent first; null where there is none. */
  readonly body: string | null
}

/** Which lane calls. */
export interface Caller {
  readonly store: string
  readonly lane: string
}

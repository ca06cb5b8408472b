/** Which lane calls. */
export interface Caller {
  readonly store: string
  readonly lane: string
  /** The enrolment that its token is of; left out where lanes are not enrolled, as in tests. */
  readonly codeId?: string
}

/** No more of what stands about the lane: it would come into answers and logs. */
export const nameOf = ({ store, lane, codeId }: Caller): Caller =>
  codeId === undefined ? { store, lane } : { store, lane, codeId }

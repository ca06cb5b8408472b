export const KINDS = ['issue', 'redeem', 'inquire', 'calculate', 'echo', 'offers', 'token'] as const
export type Kind = (typeof KINDS)[number]

/** A queued call, which exists from the end of its sale until it is confirmed. */
export interface Queued {
  readonly id: number
  readonly key: number
  readonly bornAt: number
  sends: number
  failures: number
  refusals: number
  isDone: boolean
}

export interface Recorder {
  firsts: number
  /** Number of first sends that are not from the queue. */
  live: number
  repeats: number
  born: number
  /** Number of redemptions sent again after 503 or 429: at once, as specified, despite a Retry-After. */
  ordered: number
  /**
   * `asked`: number of responses with Retry-After. `tooEarly`: number of calls that were sent before the end of the
   * pause that such a response requested.
   */
  asked: number
  tooEarly: number
  heldBack: number
  tokenAsks: number
  waiting: number
  readonly redemptions: {
    readonly at: number
    readonly ms: number
    readonly end: 'approved' | 'declined' | 'escalated'
  }[]
  useful: number
  /** `effects`: executed transactions. `keys`: known idempotency keys. One byte for each number, in pages. */
  readonly effects: Uint8Array[]
  readonly keys: Uint8Array[]
  escalatedIssues: number
  /** Number of calls that the services confirmed but do not have in their ledger. */
  lost: number
  doubled: number
  inquiriesFailed: number
  inquiries: number
}

const PAGE = 1 << 20

export const createRecorder = (): Recorder => ({
  firsts: 0,
  live: 0,
  repeats: 0,
  born: 0,
  ordered: 0,
  asked: 0,
  tooEarly: 0,
  heldBack: 0,
  tokenAsks: 0,
  waiting: 0,
  redemptions: [],
  useful: 0,
  effects: [],
  keys: [],
  escalatedIssues: 0,
  lost: 0,
  doubled: 0,
  inquiriesFailed: 0,
  inquiries: 0,
})

/**
 * Executes a call in the services’ ledger. A repeated idempotency key has no effect. Counts transactions that are
 * executed under two keys.
 */
export function execute(recorder: Recorder, id: number, key: number): void {
  if (!mark(recorder.keys, key)) return
  if (!mark(recorder.effects, id)) recorder.doubled += 1
}

function mark(pages: Uint8Array[], number: number): boolean {
  const page = (pages[Math.floor(number / PAGE)] ??= new Uint8Array(PAGE))
  const place = number % PAGE
  if (page[place] === 1) return false
  page[place] = 1
  return true
}

export const isExecuted = ({ effects }: Recorder, id: number): boolean =>
  effects[Math.floor(id / PAGE)]?.[id % PAGE] === 1

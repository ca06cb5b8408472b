/** Calls by what they are for. */
export const KINDS = ['issue', 'redeem', 'inquire', 'calculate', 'echo', 'offers', 'token'] as const
export type Kind = (typeof KINDS)[number]

/** A call of the queue, from the end of its sale until it is confirmed. */
export interface Queued {
  readonly id: number
  readonly key: number
  readonly bornAt: number
  sends: number
  failures: number
  refusals: number
  isDone: boolean
}

/** What the lanes tell while they run; figures are made of it. */
export interface Recorder {
  firsts: number
  /** Of them, what is not of the queue, and goes to the centre. */
  live: number
  repeats: number
  born: number
  /** Second sends of redemptions after a 503 or 429: the specification orders them at once. */
  ordered: number
  /** Answers that asked to be left alone, and calls that came back too early all the same. */
  asked: number
  tooEarly: number
  heldBack: number
  /** They go to a service of their own, and count among neither. */
  tokenAsks: number
  /** Calls of the queue that wait, over all lanes. */
  waiting: number
  /** Redemptions: how long each took until its end was known, with when it began. */
  readonly redemptions: {
    readonly at: number
    readonly ms: number
    readonly end: 'approved' | 'declined' | 'escalated'
  }[]
  /** Answers that were heard in time, of any kind. */
  useful: number
  /** Transactions that the centre has done, and the keys that it knows: a byte each, in pages. */
  readonly effects: Uint8Array[]
  readonly keys: Uint8Array[]
  escalatedIssues: number
  /** Said to be done by the centre, and not in its ledger. */
  lost: number
  /** Done twice. */
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
 * The centre's ledger: what a key has done is told again, and not done again. That a transaction is done under two keys
 * is counted.
 */
export function execute(recorder: Recorder, id: number, key: number): void {
  if (!mark(recorder.keys, key)) return
  if (!mark(recorder.effects, id)) recorder.doubled += 1
}

/** False where it was marked before. */
function mark(pages: Uint8Array[], number: number): boolean {
  const page = (pages[Math.floor(number / PAGE)] ??= new Uint8Array(PAGE))
  const place = number % PAGE
  if (page[place] === 1) return false
  page[place] = 1
  return true
}

export const isExecuted = ({ effects }: Recorder, id: number): boolean =>
  effects[Math.floor(id / PAGE)]?.[id % PAGE] === 1

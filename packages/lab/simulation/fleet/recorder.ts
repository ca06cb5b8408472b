/** Calls by purpose. */
export const KINDS = ['issue', 'redeem', 'inquire', 'calculate', 'echo', 'offers', 'token'] as const
export type Kind = (typeof KINDS)[number]

/** A queued call, from the end of its sale until it is confirmed. */
export interface Queued {
  readonly id: number
  readonly key: number
  readonly bornAt: number
  sends: number
  failures: number
  refusals: number
  isDone: boolean
}

/** Counters of all lanes, the input of the figures. */
export interface Recorder {
  firsts: number
  /** First sends that are not from the queue. */
  live: number
  repeats: number
  born: number
  /** Second sends of redemptions after 503 or 429, which the specification requires at once. */
  ordered: number
  /** Responses with Retry-After, and calls sent before its end. */
  asked: number
  tooEarly: number
  heldBack: number
  /** Requests to the token service, counted separately. */
  tokenAsks: number
  /** Queued calls over all lanes. */
  waiting: number
  /** Start, duration and outcome of each redemption. */
  readonly redemptions: {
    readonly at: number
    readonly ms: number
    readonly end: 'approved' | 'declined' | 'escalated'
  }[]
  /** Responses of any kind within the timeout. */
  useful: number
  /** Executed transactions and known keys, one byte each, in pages. */
  readonly effects: Uint8Array[]
  readonly keys: Uint8Array[]
  escalatedIssues: number
  /** Confirmed by the services, but not in their ledger. */
  lost: number
  /** Executed twice. */
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

/** The services' ledger: a repeated key has no effect. Counts transactions executed under two keys. */
export function execute(recorder: Recorder, id: number, key: number): void {
  if (!mark(recorder.keys, key)) return
  if (!mark(recorder.effects, id)) recorder.doubled += 1
}

/** Marks a number; false if it was marked before. */
function mark(pages: Uint8Array[], number: number): boolean {
  const page = (pages[Math.floor(number / PAGE)] ??= new Uint8Array(PAGE))
  const place = number % PAGE
  if (page[place] === 1) return false
  page[place] = 1
  return true
}

export const isExecuted = ({ effects }: Recorder, id: number): boolean =>
  effects[Math.floor(id / PAGE)]?.[id % PAGE] === 1

import type { Health } from '../../device.ts'
import type { Answer, Ask } from './conversation.ts'
import { diagnosisRequest, freshServiceId, type Parties, type SaleToPoiResponse } from './messages.ts'
import { echoes } from './outcome.ts'

export interface WatchOptions {
  readonly ask: Ask
  readonly parties: Parties
  readonly answerMs: number
  readonly everyMs: number
  /** A terminal at a transaction is not disturbed. */
  readonly atWork: () => boolean
  readonly onHealth: (health: Health) => void
}

/** The health of a terminal: what it says of itself, now and then, and what every other exchange with it shows. */
export interface Watch {
  readonly health: Health
  /** Asks the terminal now, unless it is at work. */
  look(): Promise<void>
  /** What came of another exchange. */
  onAnswer(answer: Answer): void
  close(): Promise<void>
}

export function watchTerminal({ ask, parties, answerMs, everyMs, atWork, onHealth }: WatchOptions): Watch {
  let health: Health = { state: 'connecting', detail: null }
  let closed = false
  let next: NodeJS.Timeout | undefined
  let looking = Promise.resolve()

  function setHealth(next: Health): void {
    if (closed || (next.state === health.state && next.detail === health.detail)) return
    health = next
    onHealth(next)
  }

  function onAnswer(answer: Answer): void {
    if (answer.kind === 'not-understood') setHealth({ state: 'needs-attention', detail: answer.reason })
    else if (answer.kind !== 'message') setHealth({ state: 'unavailable', detail: answer.reason })
    else if (health.state !== 'needs-attention') setHealth({ state: 'ready', detail: null })
  }

  async function askHealth(): Promise<void> {
    const serviceId = freshServiceId()
    const answer = await ask(diagnosisRequest(serviceId, parties), answerMs)
    if (answer.kind === 'message') setHealth(healthOf(answer.message, serviceId, parties))
    else onAnswer(answer)
  }

  /** A look that runs already may have asked before whatever the caller has just done: it looks after it. */
  function look(): Promise<void> {
    looking = looking
      .then(() => (closed || atWork() ? undefined : askHealth()))
      .finally(() => {
        clearTimeout(next)
        // A timer keeps no program alive.
        if (!closed) next = setTimeout(() => void look(), everyMs).unref()
      })
    return looking
  }

  void look()
  return {
    get health() {
      return health
    },
    look,
    onAnswer,
    async close() {
      closed = true
      clearTimeout(next)
      await looking
    },
  }
}

function healthOf(message: SaleToPoiResponse, serviceId: string, parties: Parties): Health {
  const diagnosis = message.DiagnosisResponse
  if (!echoes(message.MessageHeader, 'Diagnosis', serviceId, parties) || diagnosis === undefined)
    return { state: 'needs-attention', detail: 'the answer is of another terminal or question' }
  switch (diagnosis.POIStatus?.GlobalStatus) {
    case 'OK':
    // Another program's transaction, or the terminal's own menu: it passes.
    case 'Busy':
      return { state: 'ready', detail: null }
    case 'Maintenance':
      return { state: 'needs-attention', detail: 'the terminal is in maintenance' }
    case 'Unreachable':
      return { state: 'needs-attention', detail: 'the terminal does not reach its bank' }
    default:
      return { state: 'needs-attention', detail: 'the terminal does not say that it is well' }
  }
}

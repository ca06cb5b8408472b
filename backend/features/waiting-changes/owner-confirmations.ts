import {
  CHANGE_PATHS,
  ConfirmedChanges,
  MOST_ASKED,
  type AskConfirmed,
} from '../../../contracts/store/confirmed-changes.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../log.ts'
import type { Changes } from '../../store/changes/changes.ts'
import type { StoreLink } from '../../store/store-link.ts'
import type { WaitingChangesService } from './service.ts'

export interface OwnerConfirmationsOptions {
  readonly link: Pick<StoreLink, 'tell' | 'events' | 'state'>
  readonly changes: Pick<Changes, 'waiting'>
  readonly waiting: Pick<WaitingChangesService, 'confirmForOwner'>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Logger, 'error'>
}

const ASKED_EVERY_MS = 10_000

/** Asks the store, while changes wait here, which of them its owner has confirmed. Answers what ends that. */
export function followOwner({ link, changes, waiting, clock, log }: OwnerConfirmationsOptions): () => void {
  let callOff: () => void = () => undefined
  let isRunning = false
  let isStopped = false

  async function ask(): Promise<void> {
    const known = new Map(changes.waiting().flatMap((one) => (one.fact ? [[keyOf(one.fact), one] as const] : [])))
    const facts = [...known.values()].flatMap(({ fact }) => (fact ? [fact] : []))
    for (let from = 0; from < facts.length && !isStopped; from += MOST_ASKED) {
      const asked: AskConfirmed = { protocol: STORE_PROTOCOL, facts: facts.slice(from, from + MOST_ASKED) }
      const heard = await link.tell(CHANGE_PATHS.confirmed, asked, ConfirmedChanges)
      if (heard.kind !== 'answer' || isStopped) return
      for (const { by, why, ...fact } of heard.body.confirmed) {
        const change = known.get(keyOf(fact))
        if (change) waiting.confirmForOwner(change, by, why)
      }
    }
  }

  function look(): void {
    callOff()
    if (isStopped || isRunning || link.state().kind === 'none') return
    isRunning = true
    ask()
      .catch((error: unknown) => log.error({ err: error }, 'confirmations of the owner could not be read'))
      .finally(() => {
        isRunning = false
        if (!isStopped) callOff = clock.after(ASKED_EVERY_MS, look)
      })
  }

  link.events.on('reached', look)
  return () => {
    isStopped = true
    callOff()
  }
}

const keyOf = ({ stream, seq }: AskConfirmed['facts'][number]): string => `${stream}/${seq}`

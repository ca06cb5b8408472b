import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Tx } from '../../db/transact.ts'
import type { Logger } from '../../log.ts'
import type { SearchRepository, Waiting } from './repository.ts'
import { wordsOfEntry } from './words.ts'

export interface IndexerOptions {
  readonly repository: SearchRepository
  readonly transact: <Result>(work: (tx: Tx) => Result) => Result
  readonly clock: Clock
  /** No sale is open: a moment's delay is nobody's. */
  readonly isQuiet: () => boolean
  readonly log: Pick<Logger, 'error'>
}

/** Ids of entries of one second. */
const IDS_A_SECOND = 64
/** The first id that an entry of a moment (epoch ms), or of one after it, may have. */
export const firstIdOf = (at: number): number => Math.floor(at / 1_000) * IDS_A_SECOND
/** A commit takes in so many entries, which is a few milliseconds. */
const AT_ONCE = 25
const LOOK_MS = 30_000
/** While a sale is open, the rest waits; between two commits of a long list, a scan goes first. */
const BETWEEN_MS = 15

export type Indexer = ReturnType<typeof createIndexer>

/**
 * Takes what was closed into the search, behind the sales: in the quiet moments of the lane, and before a search is
 * answered.
 */
export function createIndexer({ repository, transact, clock, isQuiet, log }: IndexerOptions) {
  let callOff: (() => void) | null = null
  let stopped = false

  function idFor(at: number): number {
    const first = firstIdOf(at)
    return (repository.last(first, first + IDS_A_SECOND) ?? first - 1) + 1
  }

  function takeIn(tx: Tx, waiting: Waiting): void {
    const facts = repository.facts(waiting)
    if (!facts) {
      repository.forget(tx, waiting.id)
      return
    }
    const { kind } = waiting
    const words = wordsOfEntry(kind, facts, repository.lines(kind, facts.id), repository.payments(kind, facts.id))
    repository.insert(tx, idFor(facts.at), waiting, words)
  }

  /** Takes in a few, in one commit; false when nothing waits any more. */
  function step(): boolean {
    const rows = repository.waiting(AT_ONCE)
    if (rows.length === 0) return false
    transact((tx) => {
      for (const row of rows) takeIn(tx, row)
    })
    return rows.length === AT_ONCE
  }

  function lookAfter(ms: number): void {
    if (stopped) return
    callOff = clock.after(ms, () => {
      let more = false
      try {
        more = isQuiet() && step()
      } catch (error) {
        log.error({ err: error }, 'the search could not take in what was closed')
      }
      lookAfter(more ? BETWEEN_MS : LOOK_MS)
    })
  }

  return {
    start: (): void => lookAfter(LOOK_MS),
    stop(): void {
      stopped = true
      callOff?.()
    },
    /** Takes in what waits, for so long at most; the lane goes on between two commits. */
    async catchUp(withinMs: number): Promise<void> {
      const until = performance.now() + withinMs
      while (!stopped && step() && performance.now() < until) await setImmediate()
      if (!stopped && repository.waiting(1).length > 0) {
        // A long list: not in half a minute, but at once.
        callOff?.()
        lookAfter(BETWEEN_MS)
      }
    },
  }
}

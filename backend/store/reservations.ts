import type { z } from 'zod'
import { STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import type { Ctx } from '../core/context.ts'
import { isStopping, onStart, onStop, runLater } from '../core/lifecycle.ts'
import type { Tx } from '../core/db/transact.ts'
import { type StoreResult, CALL_MS } from './channel.ts'
import { REQUEST_MS } from './link-state.ts'
import { storeLinkOf, storeOf } from './store-link.ts'

/** Interval in ms between tries to give reservations back. See docs/decisions/0030-reservations-between-lanes.md. */
const RETRY_MS = 2_000

export interface ReservationKind<Row extends { readonly id: string }> {
  open(): readonly Row[]
  /** Marks the reservation as given back before the store is notified; from then on the lane never uses it. */
  giveUp(tx: Tx, row: Row): void
  end(tx: Tx, row: Row, isUsed: boolean): void
  givenBack(id: string): Row | null
  /** Whether open reservations may be given back now; default: always. */
  isReady?(): boolean
  /** The request that gives a reservation back. Its answer: whether the store has already counted it as used. */
  readonly back: { readonly path: string; readonly answer: z.ZodType<boolean>; bodyOf(row: Row): object }
  /** The request for the ids of this lane's reservations that the store counts as open. */
  readonly listed: { readonly path: string; readonly answer: z.ZodType<readonly string[]> }
}

/**
 * Reservations of one kind at the store: value of a voucher, goods for a return, a held sale. The row is written before
 * the request. The store decides each id once, and each reservation ends once: the lane uses it in a transaction or
 * gives it back. When an answer is lost, or a crash interrupts the request, the lane gives the id back until the store
 * confirms; the store then refuses the id if the request arrives later.
 */
export class Reservations<Row extends { readonly id: string }> {
  readonly #ctx: Ctx
  readonly #kind: ReservationKind<Row>
  /** Ids of reservations that are being requested or used, which must not be given back. */
  readonly #inUse = new Set<string>()
  #running: Promise<void> | null = null
  #callOff: () => void = () => undefined
  /**
   * Whether reservations must be given back again: a store that was restored may count some as open that were given
   * back.
   */
  #isAgainDue = false

  constructor(ctx: Ctx, kind: ReservationKind<Row>) {
    this.#ctx = ctx
    this.#kind = kind
    onStart(ctx, () => this.#follow())
    // A stop waits only for the running try: the next start gives back the rest.
    onStop(ctx, () => this.#running)
  }

  isInUse(id: string): boolean {
    return this.#inUse.has(id)
  }

  /**
   * Requests a reservation whose row is on disk. It stays in use until `release` or `drop`; if the store refuses it or
   * does not answer, it is given back after a pause.
   */
  async ask<T>(id: string, path: string, body: object, answer: z.ZodType<T>, ms = REQUEST_MS): Promise<StoreResult<T>> {
    this.#inUse.add(id)
    const result = await storeOf(this.#ctx).ask(path, { protocol: STORE_PROTOCOL, ...body }, answer, ms)
    if (result.kind !== 'answer') {
      this.release(id)
      this.#soon()
    }
    return result
  }

  release(id: string): void {
    this.#inUse.delete(id)
  }

  drop(id: string): void {
    this.release(id)
    void this.giveBackAll()
  }

  async giveBack(row: Row, ms = CALL_MS): Promise<StoreResult<boolean>['kind']> {
    this.#ctx.transact((tx) => this.#kind.giveUp(tx, row))
    const result = await this.#requestGiveBack(row, ms)
    if (result.kind === 'answer') this.#ctx.transact((tx) => this.#kind.end(tx, row, result.body))
    return result.kind
  }

  /** Gives back every open reservation that is not in use, until the store has confirmed each. */
  giveBackAll(): Promise<void> {
    this.#callOff()
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        this.#ctx.log.error({ err: error }, 'reservations could not be given back to the store')
      })
      .finally(() => {
        this.#running = null
        // After the lane has stopped, its database is closed.
        if (!isStopping(this.#ctx) && (this.#isAgainDue || this.#left().length > 0)) this.#soon()
      })
    return this.#running
  }

  #follow(): void {
    // Both events are needed: the store may have been restored while the connection stayed open.
    for (const event of ['reached', 'awaited'] as const)
      storeLinkOf(this.#ctx)?.events.on(event, () => {
        this.#isAgainDue = true
        void this.giveBackAll()
      })
  }

  #soon(): void {
    this.#callOff()
    this.#callOff = runLater(this.#ctx, RETRY_MS, () => void this.giveBackAll())
  }

  #left(): readonly Row[] {
    return this.#kind.open().filter(({ id }) => !this.#inUse.has(id))
  }

  #requestGiveBack(row: Row, ms: number): Promise<StoreResult<boolean>> {
    const { back } = this.#kind
    return storeOf(this.#ctx).send(back.path, { protocol: STORE_PROTOCOL, ...back.bodyOf(row) }, back.answer, ms)
  }

  async #run(): Promise<void> {
    const tried = new Set<string>()
    while (!isStopping(this.#ctx) && (this.#kind.isReady?.() ?? true)) {
      const row = this.#left().find(({ id }) => !tried.has(id))
      if (row === undefined) break
      tried.add(row.id)
      // The other reservations are given back even if this one fails.
      const result = await this.giveBack(row).catch((error: unknown) => {
        this.#ctx.log.error({ err: error, claim: row.id }, 'a reservation could not be given back to the store')
      })
      if (result === 'no-answer') return
    }
    if (isStopping(this.#ctx) || !this.#isAgainDue) return
    this.#isAgainDue = false
    let isDone = false
    try {
      isDone = await this.#giveBackAgain()
    } finally {
      this.#isAgainDue ||= !isDone
    }
  }

  async #giveBackAgain(): Promise<boolean> {
    const { path, answer } = this.#kind.listed
    const result = await storeOf(this.#ctx).send(path, { protocol: STORE_PROTOCOL }, answer)
    for (const id of result.kind === 'answer' ? result.body : []) {
      const row = this.#kind.givenBack(id)
      if (row !== null && (await this.#requestGiveBack(row, CALL_MS)).kind === 'no-answer') return false
    }
    return result.kind !== 'no-answer'
  }
}

import type { z } from 'zod'
import { STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import type { Ctx } from '../core/context.ts'
import { isStopping, onStart, onStop, runLater } from '../core/lifecycle.ts'
import type { Tx } from '../core/db/transact.ts'
import { type Asked, CALL_MS } from './channel.ts'
import { ASK_MS } from './link-state.ts'
import { storeLinkOf, storeOf } from './store-link.ts'

/** How often claims that could not be given back are tried again. */
const RETRY_MS = 2_000

/** What one kind of claim adds: its rows, its transitions and its routes at the store. */
export interface ClaimKind<Row extends { readonly id: string }> {
  /** Claims that are neither used nor known to be given back, oldest first. */
  open(): readonly Row[]
  /** Marks a claim in `tx` before the store is told: the lane never uses it afterwards. */
  giveUp(tx: Tx, row: Row): void
  /** The store has confirmed that the claim is given back. `isUsed`: the store counts it as used by this lane. */
  end(tx: Tx, row: Row, isUsed: boolean): void
  /** The claim of this id if this lane has given it back and the store has confirmed that. */
  givenBack(id: string): Row | null
  /** Whether open claims may be given back now. Left out: always. */
  isReady?(): boolean
  /** POST that gives a claim back; answers whether the store counts it as used. */
  readonly back: { readonly path: string; readonly answer: z.ZodType<boolean>; bodyOf(row: Row): object }
  /** POST that lists the ids that the store counts as claimed by this lane. */
  readonly listed: { readonly path: string; readonly answer: z.ZodType<readonly string[]> }
}

/**
 * Claims of one kind at the store: a draw from a voucher, a return, a held sale. The kind writes a row before it asks.
 * The store decides an id once. Each claim ends once: the lane uses it in a transaction of its own, or gives it back. A
 * claim whose answer was lost, or that a crash cut off, is given back under its id until the store confirms it; the
 * store then refuses that id if the question arrives later.
 */
export class Claims<Row extends { readonly id: string }> {
  readonly #ctx: Ctx
  readonly #kind: ClaimKind<Row>
  /** Claims that are asked for or about to be used: nothing gives them back meanwhile. */
  readonly #inUse = new Set<string>()
  #running: Promise<void> | null = null
  #callOff: () => void = () => undefined
  /** The store may have been restored from a backup, and count claims as open that were given back. */
  #isAgainDue = false

  constructor(ctx: Ctx, kind: ClaimKind<Row>) {
    this.#ctx = ctx
    this.#kind = kind
    onStart(ctx, () => this.#follow())
    // Claims that are still open are given back after the next start.
    onStop(ctx, () => this.#running)
  }

  isInUse(id: string): boolean {
    return this.#inUse.has(id)
  }

  /**
   * Asks the store for a claim whose row is on the disk. It stays in use until `letGo` or `drop`; without an answer it
   * is given back after a pause.
   */
  async ask<T>(id: string, path: string, body: object, answer: z.ZodType<T>, ms = ASK_MS): Promise<Asked<T>> {
    this.#inUse.add(id)
    const heard = await storeOf(this.#ctx).ask(path, { protocol: STORE_PROTOCOL, ...body }, answer, ms)
    if (heard.kind !== 'answer') {
      this.letGo(id)
      this.#soon()
    }
    return heard
  }

  /** The claim has ended. */
  letGo(id: string): void {
    this.#inUse.delete(id)
  }

  /** Gives the claim back unless it was used. */
  drop(id: string): void {
    this.letGo(id)
    void this.giveBackAll()
  }

  /** Gives one claim back within `ms`. */
  async giveBack(row: Row, ms = CALL_MS): Promise<Asked<boolean>['kind']> {
    this.#ctx.transact((tx) => this.#kind.giveUp(tx, row))
    const heard = await this.#tell(row, ms)
    if (heard.kind === 'answer') this.#ctx.transact((tx) => this.#kind.end(tx, row, heard.body))
    return heard.kind
  }

  /** Gives back every open claim that is not in use, and repeats that until the store has confirmed each. */
  giveBackAll(): Promise<void> {
    this.#callOff()
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        this.#ctx.log.error({ err: error }, 'claims could not be given back to the store')
      })
      .finally(() => {
        this.#running = null
        // The database is closed once it is stopped.
        if (!isStopping(this.#ctx) && (this.#isAgainDue || this.#left().length > 0)) this.#soon()
      })
    return this.#running
  }

  #follow(): void {
    // The store may have been restored while the connection stayed open.
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

  #tell(row: Row, ms: number): Promise<Asked<boolean>> {
    const { back } = this.#kind
    return storeOf(this.#ctx).tell(back.path, { protocol: STORE_PROTOCOL, ...back.bodyOf(row) }, back.answer, ms)
  }

  async #run(): Promise<void> {
    const tried = new Set<string>()
    while (!isStopping(this.#ctx) && (this.#kind.isReady?.() ?? true)) {
      const row = this.#left().find(({ id }) => !tried.has(id))
      if (row === undefined) break
      tried.add(row.id)
      // One that cannot be given back does not hold up the others.
      const heard = await this.giveBack(row).catch((error: unknown) => {
        this.#ctx.log.error({ err: error, claim: row.id }, 'a claim could not be given back to the store')
      })
      if (heard === 'away') return
    }
    if (isStopping(this.#ctx) || !this.#isAgainDue) return
    this.#isAgainDue = false
    let isTold = false
    try {
      isTold = await this.#giveBackAgain()
    } finally {
      this.#isAgainDue ||= !isTold
    }
  }

  /** False: the store did not answer. */
  async #giveBackAgain(): Promise<boolean> {
    const { path, answer } = this.#kind.listed
    const heard = await storeOf(this.#ctx).tell(path, { protocol: STORE_PROTOCOL }, answer)
    for (const id of heard.kind === 'answer' ? heard.body : []) {
      const row = this.#kind.givenBack(id)
      if (row !== null && (await this.#tell(row, CALL_MS)).kind === 'away') return false
    }
    return heard.kind !== 'away'
  }
}

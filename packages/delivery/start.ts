import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  EMPTY,
  type News,
  type Notice,
  type Order,
  type Sold,
  Standing,
  type State,
  addNews,
  hasState,
  hasUnreadableOrders,
  isOfSameStore,
  isOrderDue,
  readOrders,
  readState,
  writeOrders,
  writeState,
} from './standing.ts'
import { isOfThisLane, type LaneIdentity } from './identity.ts'
import { alone } from './lock.ts'
import type { TrustList } from './trust.ts'

/** So long a start waits for a command that is at work: a lane has to open. */
const START_WAIT_MS = 5_000
/** What no state names and is older than this was never finished, or has had its time. */
const LEFT_OVER_MS = 3_600_000
const LEFT_OVER = /^([0-9a-f]{64}|([0-9a-f]{64}|(state|order|later|news|clock)\.json|own\.keys|lock)(\.\d+)?\.new)$/

export type Tell = (news: News | { readonly kind: 'left'; readonly error: Error }) => void

export interface AtStart {
  /** Whose lane it is: where it is not known any more what was in force, only a bundle of its own is. */
  readonly identity?: LaneIdentity | null
  /** What happened beside what was asked. `left`: a disk that takes nothing leaves what was in force before. */
  readonly tell?: Tell
}

type Dropped = Extract<News, { kind: 'dropped' }>['why']
/** What an order comes to: another state, nothing to be done, or why it cannot be carried out. */
type Outcome = { readonly state: State } | { readonly dropped: Dropped } | 'nothing'

/** What a lane's folder says, and what has to be told of it. */
interface Found {
  readonly state: State
  readonly news: readonly News[]
}

/** What a start of the terminal does with the bundles of its lane, with the lane's folder locked. */
export class LaneStart {
  protected readonly dataFolder: string
  protected readonly standing: Standing

  constructor(dataFolder: string, ownTrust: TrustList) {
    this.dataFolder = dataFolder
    this.standing = new Standing(dataFolder, ownTrust)
  }

  private waitingIds(): string[] {
    return readOrders(this.dataFolder).flatMap((order) => (order.kind === 'put' ? [order.id] : []))
  }

  /** Of bundles, and what was not finished: whatever else lies there is not this program's to delete. */
  private clear(state: State): void {
    // Where it is not known what is in force, nothing is cleared.
    if (state.current === null) return
    const kept = [state.current, state.previous, state.notice?.id, ...this.waitingIds()]
    for (const name of readdirSync(this.standing.folder)) {
      const place = path.join(this.standing.folder, name)
      if (!LEFT_OVER.test(name) || kept.includes(name)) continue
      if (Date.now() - statSync(place).mtimeMs > LEFT_OVER_MS) rmSync(place, { recursive: true, force: true })
    }
  }

  /** What an order that is due comes to. Nobody signs it: whoever could write one brings no old prices back by it. */
  private outcomeOf(order: Order, state: State): Outcome {
    const { current, previous, newest, notice } = state
    if (order.kind === 'undo') {
      // One that was carried out before a power cut is not carried out again.
      if (order.to === current) return 'nothing'
      if (order.to !== previous) return { dropped: 'older' }
      const before = this.standing.find(order.to)
      if (before === null) return { dropped: 'gone' }
      if (this.standing.isRevoked(before)) return { dropped: 'key-revoked' }
      return { state: { ...state, current: order.to, previous: current, proven: false, notice: null } }
    }
    if (order.id === current) return notice === null ? 'nothing' : { state: { ...state, notice: null } }
    const bundle = this.standing.find(order.id)
    if (bundle === null) return { dropped: 'gone' }
    const { version } = this.standing.trust()
    if (version < state.trustVersion) return { dropped: 'keys-missing' }
    if (this.standing.isRevoked(bundle)) return { dropped: 'key-revoked' }
    const { sequence } = bundle.manifest
    const before = current === null ? null : this.standing.find(current)
    // Another store's, that came before anybody knew whose lane it is, is nothing to go back to.
    const isFirst = before !== null && !isOfSameStore(before.manifest, bundle.manifest)
    if (!isFirst && sequence <= newest && order.id !== notice?.id) return { dropped: 'older' }
    const after = { previous: isFirst ? null : current, newest: sequence, trustVersion: version }
    return { state: { ...state, current: order.id, proven: false, notice: null, ...after } }
  }

  /** Which bundle was in force is not known: the newest of this lane that its keys vouch for. */
  private recovered(now: Date, identity: LaneIdentity | null): Found {
    const waiting = this.waitingIds()
    const own = this.standing
      .all()
      .filter(
        (bundle) =>
          !waiting.includes(bundle.id) &&
          isOfThisLane(bundle.manifest, identity) &&
          (bundle.manifest.activeFrom === null || new Date(bundle.manifest.activeFrom) <= now),
      )
    const first = own.find((bundle) => !this.standing.isRevoked(bundle))
    const known = { ...EMPTY, trustVersion: this.standing.trust().version }
    if (first === undefined) return { state: known, news: [] }
    const { sequence: newest } = first.manifest
    const before = own[own.indexOf(first) + 1]
    // Where the one before has a revoked key, an undo must not go further back.
    const previous = before && !this.standing.isRevoked(before) ? before.id : null
    const notice: Notice = { kind: 'recovered', id: null, number: newest, at: now.toISOString(), words: [] }
    return { state: { ...known, current: first.id, previous, newest, notice }, news: [notice] }
  }

  /** What is in force before any order; where that is not as it was signed any more, the one before it. */
  private found(now: Date, identity: LaneIdentity | null): Found {
    const known = readState(this.dataFolder)
    const { state, news } = known === null ? this.recovered(now, identity) : { state: known, news: [] }
    const { current, previous } = state
    if (
      current === null ||
      previous === null ||
      this.standing.find(current) !== null ||
      this.standing.find(previous) === null
    )
      return { state, news }
    const notice: Notice = {
      kind: 'damaged',
      id: current,
      number: state.newest,
      at: now.toISOString(),
      words: [],
    }
    return { state: { ...state, current: previous, previous: null, proven: false, notice }, news: [...news, notice] }
  }

  /** Orders that are due as they are carried out: an undo was asked for before what waited, then the newest bundle. */
  private inTurn(due: readonly Order[]): Order[] {
    const numberOf = (order: Order): number =>
      order.kind === 'undo' ? Infinity : (this.sequenceOf(order.id) ?? Infinity)
    return due.toSorted((one, other) =>
      one.kind === other.kind ? numberOf(other) - numberOf(one) : one.kind === 'undo' ? -1 : 1,
    )
  }

  private sequenceOf(id: string): number | null {
    return this.standing.find(id)?.manifest.sequence ?? null
  }

  /** The state first: killed between the two, the next start finds an order that has been carried out, and sees it. */
  private carryOut({ state: before, news }: Found, now: Date): Found {
    const orders = readOrders(this.dataFolder)
    const due = orders.filter((order) => isOrderDue(order, now))
    const dropped: News[] = hasUnreadableOrders(this.dataFolder) ? [this.droppedNews(null, 'unreadable', now)] : []
    const mustWrite = dropped.length > 0 || due.length > 0
    let state = before
    let isPut = false
    for (const order of this.inTurn(due)) {
      // An older one that came due beside a newer one was never sold by: it is nothing to go back to.
      if (isPut) break
      const outcome = this.outcomeOf(order, state)
      if (outcome !== 'nothing' && 'dropped' in outcome) {
        dropped.push(this.droppedNews(order, outcome.dropped, now))
        continue
      }
      if (outcome !== 'nothing') state = outcome.state
      isPut = order.kind === 'put'
    }
    const isNew = !isDeepStrictEqual(state, readState(this.dataFolder))
    // Where nothing that stands here can be believed, what there is stays as it is for whoever looks.
    if (isNew && (state.current !== null || readState(this.dataFolder) !== null)) writeState(this.dataFolder, state)
    if (mustWrite)
      writeOrders(
        this.dataFolder,
        orders.filter((order) => !due.includes(order)),
      )
    this.clear(state)
    return { state, news: [...news, ...dropped] }
  }

  private droppedNews(order: Order | null, why: Dropped, now: Date): News {
    const id = order === null ? null : order.kind === 'put' ? order.id : order.to
    return { kind: 'dropped', id, number: id === null ? null : this.sequenceOf(id), at: now.toISOString(), why }
  }

  /** To whoever starts the terminal, and kept for the audit trail. */
  private tellOf(news: readonly News[], tell: Tell): void {
    for (const one of news) tell(one)
    this.leaving(tell, () => {
      for (const one of news) addNews(this.dataFolder, one)
    })
  }

  /** What a full or failing disk does not take is left. */
  private leaving<T>(tell: Tell, work: () => T): T | null {
    try {
      return work()
    } catch (error) {
      tell({ kind: 'left', error: error instanceof Error ? error : new Error(String(error)) })
      return null
    }
  }

  /** No bundle is in force: none ever was, or nothing says which. */
  private nothing(): 'none' | 'damaged' {
    return readState(this.dataFolder) === null && (hasState(this.dataFolder) || this.standing.all().length > 0)
      ? 'damaged'
      : 'none'
  }

  /**
   * What the lane sells by from this start on; one that waits takes its place when it is due. `damaged`: what is on
   * the disk is not what was signed, or does not say which is in force. `none`: no bundle is in force. An order that
   * is due and cannot be carried out is dropped: it would be tried for ever.
   */
  atStart(now: Date, { identity = null, tell = () => undefined }: AtStart = {}): Sold | 'none' | 'damaged' {
    if (!existsSync(this.standing.folder)) return 'none'
    const done =
      this.leaving(tell, () =>
        alone(this.standing.folder, START_WAIT_MS, () => this.carryOut(this.found(now, identity), now)),
      ) ?? this.found(now, identity)
    this.tellOf(done.news, tell)
    const { current } = done.state
    if (current === null) return this.nothing()
    const bundle = this.standing.find(current)
    return bundle === null ? 'damaged' : this.standing.mended(bundle)
  }

  /** What a start now would find in force, before any order; changes nothing. `none` and `damaged` as `atStart`. */
  inForce(): Sold | 'none' | 'damaged' {
    const current = readState(this.dataFolder)?.current ?? null
    if (current === null) return this.nothing()
    const bundle = this.standing.find(current)
    return bundle === null ? 'damaged' : this.standing.soldBy(bundle)
  }

  /** Whether a terminal has come up by what is in force. */
  isProven(): boolean {
    return readState(this.dataFolder)?.proven === true
  }

  /** A terminal has come up by this bundle. */
  prove(id: string, tell: Tell): void {
    const state = readState(this.dataFolder)
    if (state?.current !== id || state.proven) return
    this.leaving(tell, () => {
      writeState(this.dataFolder, { ...state, proven: true })
    })
  }

  /** What was sold by before the one in force; `none`: no bundle was. Null: it is not whole any more. */
  before(): Sold | 'none' | null {
    const previous = readState(this.dataFolder)?.previous ?? null
    if (previous === null) return 'none'
    const bundle = this.standing.find(previous)
    return bundle && this.standing.mended(bundle)
  }

  /** Back to what was sold by before this bundle, since no terminal starts by it. `words`: what one said of it. */
  stepBack(id: string, words: readonly string[], now: Date, tell: Tell): void {
    const state = readState(this.dataFolder)
    if (state?.current !== id) return
    const number = this.standing.find(id)?.manifest.sequence ?? null
    const notice: Notice = { kind: 'refused', id, number, at: now.toISOString(), words: [...words] }
    this.leaving(tell, () => {
      writeState(this.dataFolder, { ...state, current: state.previous, previous: null, proven: true, notice })
    })
    this.tellOf([notice], tell)
  }
}

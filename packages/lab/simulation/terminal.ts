import type { Staff } from '../../../contracts/staff/session.ts'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { StaffId, type CollectorNumber, type EntryMode } from '../../../contracts/core/ids.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
import { createTokenSource } from '../../../backend/core/central/token.ts'
import { createOffersClient } from '../../../backend/loyalty/services/offers.ts'
import { createOfferStateClient } from '../../../backend/loyalty/services/offer-state.ts'
import { createTransport, type Answer, type CentralCall } from '../../../backend/core/central/transport.ts'
import { type Checkout, type CheckoutOptions, catalogOfItems, openLabCheckout } from '../testing/lane-context.ts'
import type { Rng } from '../../../backend/core/clock.ts'
import { commandChannelOf, type CommandChannel } from '../../../backend/core/command-channel.ts'
import { type PresentedCard, cardReadsOf } from '../../../backend/core/devices/reads.ts'
import { followChanges } from '../../../backend/core/integrity/evidence.ts'
import { ProblemError } from '../../../backend/core/problem.ts'
import { createOutbox, type Outbox } from '../../../backend/core/outbox/outbox.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import type { Logger } from '../../../backend/core/log.ts'
import { openOn, type CommitSteps, type Disk } from './disk.ts'
import type { ModelMembers } from './members.ts'
import type { World } from './world.ts'

/** One run of the terminal program, from its start to its end or crash. */
export interface Run {
  readonly checkout: Checkout
  readonly outbox: Outbox
  readonly commands: CommandChannel
  readonly alive: boolean
  readonly over: Promise<'over'>
  /** The disk and the current database, for checks. The database is closed when this run is over. */
  readonly watch: Disk & { db: ReturnType<typeof openOn>['raw'] }
  present(collectorNumber: CollectorNumber, entryMode: EntryMode): PresentedCard
  /** Cuts the power: committed data stays on the disk, and planned work is dropped. */
  end(): void
}

export interface RunOptions {
  readonly world: World
  readonly disk: Disk
  readonly rng: Rng
  readonly profile: Profile
  readonly lane: LaneSettings
  readonly items: readonly Item[]
  readonly log: Logger
  readonly steps: CommitSteps
  readonly exchange: (run: Run, call: CentralCall) => Promise<Answer>
  readonly grant: () => Promise<string>
  readonly onEvent: (run: Run, event: TerminalEvent) => void
  readonly members?: ModelMembers
  readonly onTransition: (transition: string) => void
  readonly signedIn?: () => Staff | null
}

export const ALEX: Staff = { id: StaffId.parse('alex'), name: 'Alex', role: 'cashier', locale: 'en-CA' }
export const MASTER_KEY = Buffer.alloc(32, 5)

export function startRun(options: RunOptions): Run {
  const { world, disk, profile, lane, log, rng } = options
  const { db, raw } = openOn(disk, options.steps)
  const seal = createSeal(MASTER_KEY)
  const evidence = followChanges(raw, seal)
  const clock = world.clock(() => run.alive)
  let alive = true
  let notifyOver: (over: 'over') => void = () => undefined
  const over = new Promise<'over'>((resolve) => {
    notifyOver = resolve
  })
  const tokens = createTokenSource({
    clock,
    rng,
    log,
    grant: async () => ({ value: await options.grant(), expiresInSeconds: 300 }),
  })
  const transport = createTransport({ tokens, log, exchange: (call) => options.exchange(run, call) })

  const run: Run = {
    get alive() {
      return alive
    },
    get checkout() {
      return checkout
    },
    get outbox() {
      return outbox
    },
    get commands() {
      return commands
    },
    over,
    get watch() {
      return { ...disk, db: raw }
    },
    present: (collectorNumber, entryMode) => cardReadsOf(checkout.ctx).hold(collectorNumber, entryMode),
    end() {
      if (!alive) return
      alive = false
      disk.image = raw.serialize()
      raw.close()
      notifyOver('over')
    },
  }
  const outbox = createOutbox({
    db,
    seal,
    evidence,
    clock,
    rng,
    log,
    mark: {
      read: () => disk.mark,
      note: (mark) => {
        disk.mark = mark
      },
      sync: () => undefined,
      close: () => undefined,
    },
    observer: { wrote: options.onTransition },
    onStop: (reason) => {
      publish({ type: 'stopped', reason })
    },
    refusal: (reason) => new ProblemError(reason),
  })
  const publish = (event: TerminalEvent): void => {
    if (!alive) return
    options.onEvent(run, event)
    try {
      checkout.memberEvents.onEvent(event)
    } catch (error) {
      // Ignore the error if the simulated power was cut in the meantime, for example when the first call was sent.
      if (alive) throw error
    }
  }
  const checkout = openLabCheckout({
    db,
    seal,
    outbox,
    profile,
    lane,
    transport,
    clock,
    rng,
    log,
    catalog: catalogOfItems(options.items),
    printer: { print: async () => ({ state: 'sent', detail: null }) },
    signedIn: options.signedIn ?? (() => ALEX),
    staffName: () => ALEX.name,
    ...(options.members ? servedBy(options.members, () => alive) : {}),
    publish,
  })
  const commands = commandChannelOf(checkout.ctx)
  return run
}

function servedBy(members: ModelMembers, isAlive: () => boolean): Pick<CheckoutOptions, 'offers' | 'member'> {
  /** Drops the response of a call once this run is over. */
  const whileAlive = async <Result>(asked: Promise<Result>): Promise<Result> => {
    const result = await asked.then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error
      },
    )
    return isAlive() ? result() : new Promise(() => undefined)
  }
  return {
    offers: members.lists,
    member: (ctx) => ({
      signIn: {
        begin: (signal) => whileAlive(members.signIn.begin(signal)),
        poll: (code, signal) => whileAlive(members.signIn.poll(code, signal)),
        revoke: (token) => whileAlive(members.signIn.revoke(token)),
      },
      offers: createOffersClient(ctx),
      offerState: createOfferStateClient(ctx),
    }),
  }
}

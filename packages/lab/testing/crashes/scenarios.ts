import { CASH_PATHS, CASH_RESPONSE_CODES } from '../../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../../contracts/central/issuance.ts'
import type { FaultRule } from '../../rig/central.ts'
import { TerminalGoneError, type Window } from '../../rig/window.ts'
import { whenIdle, customer, serve, type Customer } from './cashier.ts'
import type { CrashPoint, CrashingLane } from './lane.ts'
import { compareLedgers, newestSale, redeemedWithoutInquire, wrongSends } from './ledgers.ts'
import type { Collector, Shop } from './crash-store.ts'

/** A scenario of the crash test: a sequence of customers at one lane, all with the card of one collector. */
export interface Scenario {
  readonly name: string
  readonly behaviors: readonly Customer['behavior'][]
  readonly faults?: readonly Omit<FaultRule, 'collectorNumber'>[]
  /** Final states of the scenario’s operations when the lane is not killed. */
  readonly ends: readonly string[]
  /** True if the faults and a kill together may use up the retry and leave an operation to a manager. */
  readonly mayEscalate?: boolean
  /** Steps where this scenario is killed although other scenarios were killed there, because its state differs. */
  readonly again?: RegExp
}

/** Matches the steps from the commit that removes a miles payment from an open sale to the next INQUIRE. */
const GIVING_BACK = /redeem (approved|reversing)→|: loyaltycash\/(reverse|inquire)$/

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'one sale paid with miles and cash, and a cancelled one',
    behaviors: ['partial', 'cancel'],
    ends: ['redeem approved', 'issue confirmed', 'redeem reversed'],
  },
  { name: 'a sale paid only with miles', behaviors: ['whole'], ends: ['redeem approved', 'issue confirmed'] },
  {
    name: 'an approval whose response is lost',
    behaviors: ['partial'],
    ends: ['redeem approved', 'issue confirmed'],
    mayEscalate: true,
    faults: [{ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'drop-after' } }],
  },
  {
    name: 'a redemption without a response',
    behaviors: ['partial'],
    ends: ['redeem escalated', 'issue confirmed'],
    mayEscalate: true,
    faults: [{ path: CASH_PATHS.redeem, times: 2, action: { kind: 'drop-after' } }],
  },
  {
    // The loyalty service gives this redemption no approval and has not processed it. If a kill leaves open whether an
    // earlier send succeeded, the redemption is escalated instead.
    name: 'a redemption that is declined',
    behaviors: ['partial'],
    ends: ['redeem declined', 'issue confirmed'],
    mayEscalate: true,
    faults: [{ path: CASH_PATHS.redeem, times: 2, action: { kind: 'outage' } }],
  },
  {
    name: 'a reversal that is refused',
    behaviors: ['cancel'],
    ends: ['redeem reversal-escalated'],
    mayEscalate: true,
    faults: [
      {
        path: CASH_PATHS.reverse,
        action: {
          kind: 'answer',
          status: CASH_RESPONSE_CODES['0057'].status,
          body: { responseCode: '0057', message: CASH_RESPONSE_CODES['0057'].message },
        },
      },
    ],
  },
  {
    name: 'a reversal after the deadline',
    behaviors: ['cancel'],
    ends: ['redeem reversal-expired'],
    mayEscalate: true,
    faults: [
      {
        path: CASH_PATHS.reverse,
        action: {
          kind: 'answer',
          status: CASH_RESPONSE_CODES['0080'].status,
          body: { responseCode: '0080', message: CASH_RESPONSE_CODES['0080'].message },
        },
      },
    ],
  },
  {
    name: 'miles reversed during the sale and redeemed again',
    behaviors: ['miles again'],
    ends: ['redeem reversed', 'redeem approved', 'issue confirmed'],
    again: GIVING_BACK,
  },
  {
    name: 'miles reversed during the sale after the deadline',
    behaviors: ['miles back'],
    ends: ['redeem reversal-expired', 'issue confirmed'],
    mayEscalate: true,
    again: GIVING_BACK,
    faults: [
      {
        path: CASH_PATHS.reverse,
        action: {
          kind: 'answer',
          status: CASH_RESPONSE_CODES['0080'].status,
          body: { responseCode: '0080', message: CASH_RESPONSE_CODES['0080'].message },
        },
      },
    ],
  },
  {
    name: 'an issuance whose first call does not reach the service',
    behaviors: ['cash'],
    ends: ['issue confirmed'],
    faults: [{ path: ISSUANCE_PATHS.issue, times: 1, action: { kind: 'drop-before' } }],
  },
  {
    name: 'a sale that is returned',
    behaviors: ['return'],
    ends: ['issue confirmed', 'return confirmed'],
  },
  {
    name: 'a sale without a card, reported by RECORD',
    behaviors: ['no card'],
    ends: ['record confirmed'],
  },
  {
    name: 'an issuance that is refused',
    behaviors: ['cash'],
    ends: ['issue dead'],
    mayEscalate: true,
    faults: [
      {
        path: ISSUANCE_PATHS.issue,
        action: { kind: 'answer', status: 400, body: { responseCode: '221', message: 'refused' } },
      },
    ],
  },
]

/** After this step the terminal has used its only retry: if it is killed, the next start escalates the redemption. */
const SECOND_SEND = 'after commit: redeem intent→retry'

export interface Ending {
  readonly wrong: readonly string[]
  readonly ends: readonly string[]
}

interface PlayedScenario {
  readonly customers: readonly Customer[]
  readonly collector: Collector
  readonly since: number
}

async function open({ central, newCollector }: Shop, lane: CrashingLane, scenario: Scenario): Promise<PlayedScenario> {
  const collector = newCollector()
  if (scenario.faults)
    await central.faults(...scenario.faults.map((rule) => ({ ...rule, collectorNumber: collector.number })))
  return {
    collector,
    customers: scenario.behaviors.map((behavior) => customer(collector, behavior)),
    since: newestSale(lane.data),
  }
}

async function play(window: Window, customers: readonly Customer[]): Promise<void> {
  for (const each of customers) {
    const { id } = await serve(window, each, { patient: true })
    // Customers are served one after the other, so that the steps have the same order every time.
    await whenIdle(window, id)
  }
}

async function ending(
  { central }: Shop,
  lane: CrashingLane,
  scenario: Scenario,
  { collector, since }: PlayedScenario,
  retried = false,
): Promise<Ending> {
  const { wrong, ends, onTheList } = await compareLedgers(central, [collector.number], [{ data: lane.data, since }])
  const leftToPeople =
    scenario.mayEscalate || retried ? [] : onTheList.map((operation) => `left to a manager: ${operation}`)
  return {
    ends,
    wrong: [
      ...wrong,
      ...leftToPeople,
      ...(await wrongSends(central, collector.number)),
      ...(await redeemedWithoutInquire(central, collector.number)),
    ],
  }
}

async function crashDuring(lane: CrashingLane, crashPoint: CrashPoint, customers: readonly Customer[]): Promise<void> {
  lane.crashAt(crashPoint)
  const crashed = lane.crashed()
  const played = play(lane.window, customers).then(
    () => {
      throw new Error(`“${crashPoint.step}” was not passed ${crashPoint.occurrence} times`)
    },
    (error: unknown) => {
      if (!(error instanceof TerminalGoneError)) throw error
    },
  )
  // Both promises are awaited: if the scenario fails while the process is alive, the rejection of `died` must be
  // handled too.
  await Promise.all([played, crashed])
  lane.crashAt(null)
}

export async function playThrough(shop: Shop, lane: CrashingLane, scenario: Scenario): Promise<Ending> {
  const played = await open(shop, lane, scenario)
  await play(lane.window, played.customers)
  return ending(shop, lane, scenario, played)
}

export async function playWithCrash(
  shop: Shop,
  lane: CrashingLane,
  scenario: Scenario,
  crashPoint: CrashPoint,
): Promise<Ending> {
  const played = await open(shop, lane, scenario)
  await crashDuring(lane, crashPoint, played.customers)
  await lane.start()
  await play(lane.window, played.customers)
  return ending(shop, lane, scenario, played)
}

/**
 * Plays the scenario with a kill, then a start that is killed during its recovery (if `inRecovery`), then an
 * undisturbed start.
 */
export async function playWithTwoCrashes(
  shop: Shop,
  lane: CrashingLane,
  scenario: Scenario,
  crashPoint: CrashPoint,
  inRecovery: CrashPoint | null,
): Promise<Ending & { readonly recovery: readonly string[] }> {
  const played = await open(shop, lane, scenario)
  lane.clearSteps()
  await crashDuring(lane, crashPoint, played.customers)
  if (inRecovery) {
    lane.crashAt(inRecovery)
    await lane.startUntilCrash(recovered)
    lane.crashAt(null)
  }
  const retried = lane.steps().includes(SECOND_SEND)
  lane.clearSteps()
  await lane.start()
  await recovered(lane.window)
  const recovery = lane.steps()
  await play(lane.window, played.customers)
  return { ...(await ending(shop, lane, scenario, played, retried)), recovery }
}

async function recovered(window: Window): Promise<void> {
  await whenIdle(window, null)
  const sale = await window.current()
  if (!sale?.member) return
  if (sale.member.state === 'pending')
    await window.until(({ id, member }) => id === sale.id && member !== null && member.state !== 'pending')
  if (sale.lines.length > 0 && sale.milesPreview === null)
    await window.until(({ id, milesPreview }) => id === sale.id && milesPreview !== null)
}

import { CASH_PATHS, CASH_RESPONSE_CODES } from '../../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../../contracts/central/issuance.ts'
import type { FaultRule } from '../../rig/central.ts'
import { TerminalGoneError, type Window } from '../../rig/window.ts'
import { atRest, customer, serve, type Customer } from './cashier.ts'
import type { Death, CrashingLane } from './lane.ts'
import { compareLedgers, newestSale, redeemedUnasked, wrongSends } from './ledgers.ts'
import type { Collector, Shop } from './shop.ts'

/** What happens at a lane, one customer after the other, all with the card of one collector. */
export interface Scenario {
  readonly name: string
  readonly wants: readonly Customer['wants'][]
  /** What goes wrong at the loyalty service. */
  readonly faults?: readonly Omit<FaultRule, 'collectorNumber'>[]
  /** How its operations end when nothing is killed. */
  readonly ends: readonly string[]
  /** True when its faults and a kill together may use up what the machine may do, and leave something to a person. */
  readonly mayEscalate?: boolean
  /** Steps at which it is killed although others were killed there: what lies around them is another. */
  readonly again?: RegExp
}

/** From the commit that takes a payment with miles off an open sale to the question what is available then. */
const GIVING_BACK = /redeem (approved|reversing)→|: loyaltycash\/(reverse|inquire)$/

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'one sale paid with miles and cash, and one that is cancelled',
    wants: ['part', 'cancel'],
    ends: ['redeem approved', 'issue confirmed', 'redeem reversed'],
  },
  { name: 'a sale paid whole with miles', wants: ['whole'], ends: ['redeem approved', 'issue confirmed'] },
  {
    name: 'an approval whose answer is lost',
    wants: ['part'],
    ends: ['redeem approved', 'issue confirmed'],
    mayEscalate: true,
    faults: [{ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'drop-after' } }],
  },
  {
    name: 'a redemption that is never answered',
    wants: ['part'],
    ends: ['redeem escalated', 'issue confirmed'],
    mayEscalate: true,
    faults: [{ path: CASH_PATHS.redeem, times: 2, action: { kind: 'drop-after' } }],
  },
  {
    // Declined without a look, which says nothing any more of a redemption that may have been sent before.
    name: 'a redemption that is declined',
    wants: ['part'],
    ends: ['redeem declined', 'issue confirmed'],
    mayEscalate: true,
    faults: [{ path: CASH_PATHS.redeem, times: 2, action: { kind: 'outage' } }],
  },
  {
    name: 'a reversal that is refused',
    wants: ['cancel'],
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
    name: 'a reversal that comes too late',
    wants: ['cancel'],
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
    name: 'miles that are given back while the sale goes on, and redeemed again',
    wants: ['miles again'],
    ends: ['redeem reversed', 'redeem approved', 'issue confirmed'],
    again: GIVING_BACK,
  },
  {
    name: 'miles that are given back too late',
    wants: ['miles back'],
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
    name: 'an issuance that finds nobody at first',
    wants: ['cash'],
    ends: ['issue confirmed'],
    faults: [{ path: ISSUANCE_PATHS.issue, times: 1, action: { kind: 'drop-before' } }],
  },
  {
    name: 'a sale that is brought back',
    wants: ['return'],
    ends: ['issue confirmed', 'return confirmed'],
  },
  {
    name: 'a sale without a card, of which RECORD tells',
    wants: ['no card'],
    ends: ['record confirmed'],
  },
  {
    name: 'an issuance that is refused',
    wants: ['cash'],
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

/** A terminal that dies after this has made the one retry that there is: the next start can only ask a person. */
const SECOND_SEND = 'after commit: redeem intent→retry'

/** What is true of a scenario when it is over. */
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
    customers: scenario.wants.map((wants) => customer(collector, wants)),
    since: newestSale(lane.data),
  }
}

async function play(window: Window, customers: readonly Customer[]): Promise<void> {
  for (const each of customers) {
    const { id } = await serve(window, each, { patient: true })
    // One after the other, so that the same steps follow each other every time.
    await atRest(window, id)
  }
}

/** `retried` says whether the terminal died after it had made its one retry. */
async function ending(
  { central }: Shop,
  lane: CrashingLane,
  scenario: Scenario,
  { collector, since }: PlayedScenario,
  retried = false,
): Promise<Ending> {
  const { wrong, ends, onTheList } = await compareLedgers(central, [collector.number], [{ data: lane.data, since }])
  const leftToPeople =
    scenario.mayEscalate || retried ? [] : onTheList.map((operation) => `left to a person: ${operation}`)
  return {
    ends,
    wrong: [
      ...wrong,
      ...leftToPeople,
      ...(await wrongSends(central, collector.number)),
      ...(await redeemedUnasked(central, collector.number)),
    ],
  }
}

/** Plays until the lane dies where it was told. Throws when it lives on. */
async function dieDuring(lane: CrashingLane, death: Death, customers: readonly Customer[]): Promise<void> {
  lane.dieAt(death)
  const died = lane.death()
  const played = play(lane.window, customers).then(
    () => {
      throw new Error(`“${death.step}” was not passed ${death.occurrence} times`)
    },
    (error: unknown) => {
      if (!(error instanceof TerminalGoneError)) throw error
    },
  )
  // Both at once: when the scenario fails the process is still alive, and its later end is nobody's news.
  await Promise.all([played, died])
  lane.dieAt(null)
}

/** The scenario without a kill. */
export async function playThrough(shop: Shop, lane: CrashingLane, scenario: Scenario): Promise<Ending> {
  const played = await open(shop, lane, scenario)
  await play(lane.window, played.customers)
  return ending(shop, lane, scenario, played)
}

/** The scenario with a kill at one step; the cashier goes on with what the terminal shows after the restart. */
export async function playWithCrash(shop: Shop, lane: CrashingLane, scenario: Scenario, death: Death): Promise<Ending> {
  const played = await open(shop, lane, scenario)
  await dieDuring(lane, death, played.customers)
  await lane.start()
  await play(lane.window, played.customers)
  return ending(shop, lane, scenario, played)
}

/**
 * The scenario with a kill; then a start that dies at a step of its recovery, when one is given; then a start that does
 * not.
 */
export async function playWithTwoCrashes(
  shop: Shop,
  lane: CrashingLane,
  scenario: Scenario,
  death: Death,
  inRecovery: Death | null,
): Promise<Ending & { readonly recovery: readonly string[] }> {
  const played = await open(shop, lane, scenario)
  lane.forgetSteps()
  await dieDuring(lane, death, played.customers)
  if (inRecovery) {
    lane.dieAt(inRecovery)
    await lane.startToDie(recovered)
    lane.dieAt(null)
  }
  const retried = lane.steps().includes(SECOND_SEND)
  lane.forgetSteps()
  await lane.start()
  await recovered(lane.window)
  const recovery = lane.steps()
  await play(lane.window, played.customers)
  return { ...(await ending(shop, lane, scenario, played, retried)), recovery }
}

/** Resolves when the terminal has done all that it does by itself after a start. */
async function recovered(window: Window): Promise<void> {
  await atRest(window, null)
  const sale = await window.current()
  if (!sale?.member) return
  if (sale.member.state === 'pending')
    await window.until(({ id, member }) => id === sale.id && member !== null && member.state !== 'pending')
  if (sale.lines.length > 0 && sale.milesPreview === null)
    await window.until(({ id, milesPreview }) => id === sale.id && milesPreview !== null)
}

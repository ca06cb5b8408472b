import { afterAll, describe, expect, test } from 'vitest'
import { prepareLane, type CrashPoint, type CrashingLane } from './lane.ts'
import { isWholeCampaign, todays } from '../campaign.ts'
import { openShop } from './crash-store.ts'
import { playWithCrash, playWithTwoCrashes, playThrough, SCENARIOS, type Scenario } from './scenarios.ts'

const LANES = 3
/**
 * Steps that timers cause, such as echo checks and offer lists. A scenario passes them only by chance, so no kill is
 * planned there.
 */
const BY_THE_CLOCK = /\becho\b|\boffers\b|echo_(?:result|hour|outage)|offer_list/
/**
 * Number of scenarios of a short run. They cover every outcome of a payment with miles. The nightly campaign adds
 * issuances, returns, sales without a card, and reversals during a sale.
 */
const PAYMENTS = 7
/** Number of recoveries in a short run: only that of an open redemption. The nightly campaign adds the others. */
const RECOVERIES = 1
/** Number of days in which a short run plays every kill at least once. */
const DAYS = 2

const shop = await openShop({ collectors: 400 })
const lanes = new Set<CrashingLane>()
const free: CrashingLane[] = []
const waiting: ((lane: CrashingLane) => void)[] = []

async function openLane(): Promise<CrashingLane> {
  const lane = prepareLane(shop, `lane-${lanes.size + 1}`)
  lanes.add(lane)
  await lane.start()
  return lane
}

/** Runs `work` with an exclusive lane. A lane on which a scenario failed is replaced. */
async function withLane<Result>(work: (lane: CrashingLane) => Promise<Result>): Promise<Result> {
  const lane =
    free.shift() ??
    (await new Promise<CrashingLane>((resolve) => {
      waiting.push(resolve)
    }))
  const giveBack = (running: CrashingLane): void => {
    const next = waiting.shift()
    if (next) next(running)
    else free.push(running)
  }
  try {
    const result = await work(lane)
    giveBack(lane)
    return result
  } catch (error) {
    await lane.stop()
    giveBack(await openLane())
    throw error
  }
}

afterAll(async () => {
  await Promise.all([...lanes].map((lane) => lane.stop()))
  await shop.close()
})

const planned = new Set<string>()
const newCrashPoints = (steps: readonly string[]): CrashPoint[] =>
  [...new Set(steps)]
    .filter((step) => !planned.has(step) && !BY_THE_CLOCK.test(step))
    .map((step) => {
      planned.add(step)
      return { step, occurrence: 1 }
    })

/**
 * Returns the steps where this scenario is killed although another scenario was killed there, each at its last
 * occurrence.
 */
const again = (steps: readonly string[], { again: wanted }: Scenario): CrashPoint[] =>
  [...Map.groupBy(steps, (step) => step)]
    .filter(([step]) => wanted?.test(step) && planned.has(step))
    .map(([step, { length: occurrence }]) => ({ step, occurrence }))

// Each scenario is played once without a kill to find its steps, so that every step in the code gets a kill.
const scout = await openLane()
const rehearsed: {
  scenario: Scenario
  ends: readonly string[]
  wrong: readonly string[]
  crashPoints: CrashPoint[]
}[] = []
for (const scenario of isWholeCampaign ? SCENARIOS : SCENARIOS.slice(0, PAYMENTS)) {
  scout.clearSteps()
  const { ends, wrong } = await playThrough(shop, scout, scenario)
  const steps = scout.steps()
  rehearsed.push({ scenario, ends, wrong, crashPoints: [...again(steps, scenario), ...newCrashPoints(steps)] })
}

/**
 * Kills that leave work open, one for each kind of work that a restart has to finish. A second kill follows during that
 * restart.
 */
const [sales, , lost] = SCENARIOS as readonly [Scenario, Scenario, Scenario]
const LEFT_OPEN: readonly { scenario: Scenario; crashPoint: CrashPoint }[] = [
  { scenario: sales, crashPoint: { step: 'after commit: redeem →intent', occurrence: 1 } },
  { scenario: sales, crashPoint: { step: 'before the answer: issuance/issue', occurrence: 1 } },
  { scenario: sales, crashPoint: { step: 'after commit: redeem approved→reversing', occurrence: 1 } },
  { scenario: sales, crashPoint: { step: 'before the answer: loyaltycash/inquire', occurrence: 1 } },
  { scenario: lost, crashPoint: { step: 'after commit: redeem intent→retry', occurrence: 1 } },
]
planned.clear()
const recoveries: {
  scenario: Scenario
  crashPoint: CrashPoint
  wrong: readonly string[]
  crashPoints: CrashPoint[]
}[] = []
for (const { scenario, crashPoint } of isWholeCampaign ? LEFT_OPEN : LEFT_OPEN.slice(0, RECOVERIES)) {
  const { wrong, recovery } = await playWithTwoCrashes(shop, scout, scenario, crashPoint, null)
  recoveries.push({ scenario, crashPoint, wrong, crashPoints: newCrashPoints(recovery) })
}
// A graceful stop writes Node’s compile cache, which speeds up the many starts that follow.
await scout.stop()
await scout.start()
free.push(scout)
for (let lane = 1; lane < LANES; lane += 1) free.push(await openLane())

describe('the scenarios of the crash test, first played without a kill,', () => {
  test.each(rehearsed)(
    'leave equal entries in the lane’s journal and the loyalty service’s ledger: $scenario.name',
    ({ scenario, ends, wrong }) => {
      expect(wrong).toEqual([])
      expect(ends).toEqual(scenario.ends)
    },
  )

  test('pass every state transition and service call before and after which a kill is tested', () => {
    const passed = rehearsed.flatMap(({ crashPoints }) => crashPoints.map(({ step }) => step))
    const transitions = [
      'redeem →intent',
      'redeem intent→approved',
      'redeem approved→reversing',
      'redeem reversing→reversed',
      'issue →queued',
      'issue queued→sent',
      'issue sent→confirmed',
      'redeem intent→retry',
      'redeem retry→approved',
      'redeem retry→escalated',
      'redeem intent→declined',
      'redeem intent→approved + issue →queued',
      'redeem reversing→reversal-escalated',
      'redeem reversing→reversal-expired',
      ...(isWholeCampaign
        ? [
            'issue sent→queued',
            'issue sent→dead',
            'return →queued',
            'return queued→sent',
            'return sent→confirmed',
            'record →queued',
            'record queued→sent',
            'record sent→confirmed',
          ]
        : []),
    ]
    const paths = [
      'loyaltycash/redeem',
      'loyaltycash/reverse',
      'loyaltycash/inquire',
      'issuance/issue',
      ...(isWholeCampaign ? ['issuance/return', 'issuance/record'] : []),
    ]
    expect(passed).toEqual(
      expect.arrayContaining(
        transitions.flatMap((transition) => [`before commit: ${transition}`, `after commit: ${transition}`]),
      ),
    )
    expect(passed).toEqual(
      expect.arrayContaining(paths.flatMap((path) => [`before send: ${path}`, `before the answer: ${path}`])),
    )
  })
})

for (const { scenario, crashPoints } of rehearsed) {
  describe.concurrent(`a lane that plays ${scenario.name}`, () => {
    for (const crashPoint of todays(crashPoints, DAYS)) {
      test(`has correct records after a kill at the step ${crashPoint.step}`, async () => {
        const { wrong } = await withLane((lane) => playWithCrash(shop, lane, scenario, crashPoint))
        expect(wrong).toEqual([])
      })
    }
  })
}

for (const { scenario, crashPoint, wrong, crashPoints } of recoveries) {
  describe.concurrent(`a lane after a kill at the step ${crashPoint.step}`, () => {
    test('has correct records after its restart', () => {
      expect(wrong).toEqual([])
    })

    for (const inRecovery of todays(crashPoints, DAYS)) {
      test(`has correct records after a second kill during its recovery, at the step ${inRecovery.step}`, async () => {
        const { wrong: wrongAfter } = await withLane((lane) =>
          playWithTwoCrashes(shop, lane, scenario, crashPoint, inRecovery),
        )
        expect(wrongAfter).toEqual([])
      })
    }
  })
}

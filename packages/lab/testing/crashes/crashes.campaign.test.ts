import { afterAll, describe, expect, test } from 'vitest'
import { prepareLane, type Death, type CrashingLane } from './lane.ts'
import { isWholeCampaign, todays } from '../campaign.ts'
import { openShop } from './shop.ts'
import { playWithCrash, playWithTwoCrashes, playThrough, SCENARIOS, type Scenario } from './scenarios.ts'

/** Lanes that are killed in parallel. */
const LANES = 3
/**
 * Steps of timers, such as echo checks and offer lists. A scenario passes them by chance, so no kill is planned there.
 */
const BY_THE_CLOCK = /\becho\b|\boffers\b|echo_(?:result|hour|outage)|offer_list/
/**
 * The first scenarios cover every outcome of a payment with miles. The nightly campaign adds issuances, returns, sales
 * without a card, and reversals during a sale.
 */
const PAYMENTS = 7
/** The first recovery is that of an open redemption; the nightly campaign adds the others. */
const RECOVERIES = 1
/** Every kill is played at least once in this many days. */
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
    (await new Promise<CrashingLane>((lend) => {
      waiting.push(lend)
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

/** Steps for which a kill is planned already. */
const planned = new Set<string>()
const newDeaths = (steps: readonly string[]): Death[] =>
  [...new Set(steps)]
    .filter((step) => !planned.has(step) && !BY_THE_CLOCK.test(step))
    .map((step) => {
      planned.add(step)
      return { step, occurrence: 1 }
    })

/** Steps where a scenario is killed again although another was killed there, each at its last occurrence. */
const again = (steps: readonly string[], { again: wanted }: Scenario): Death[] =>
  [...Map.groupBy(steps, (step) => step)]
    .filter(([step]) => wanted?.test(step) && planned.has(step))
    .map(([step, { length: occurrence }]) => ({ step, occurrence }))

// Each scenario is played once without a kill to find its steps, so new steps are killed at too.
const scout = await openLane()
const rehearsed: { scenario: Scenario; ends: readonly string[]; wrong: readonly string[]; deaths: Death[] }[] = []
for (const scenario of isWholeCampaign ? SCENARIOS : SCENARIOS.slice(0, PAYMENTS)) {
  scout.forgetSteps()
  const { ends, wrong } = await playThrough(shop, scout, scenario)
  const steps = scout.steps()
  rehearsed.push({ scenario, ends, wrong, deaths: [...again(steps, scenario), ...newDeaths(steps)] })
}

/** The first of two kills: one case for each kind of work that a restart has to finish. */
const [sales, , lost] = SCENARIOS as readonly [Scenario, Scenario, Scenario]
const LEFT_OPEN: readonly { scenario: Scenario; death: Death }[] = [
  { scenario: sales, death: { step: 'after commit: redeem →intent', occurrence: 1 } },
  { scenario: sales, death: { step: 'before the answer: issuance/issue', occurrence: 1 } },
  { scenario: sales, death: { step: 'after commit: redeem approved→reversing', occurrence: 1 } },
  { scenario: sales, death: { step: 'before the answer: loyaltycash/inquire', occurrence: 1 } },
  { scenario: lost, death: { step: 'after commit: redeem intent→retry', occurrence: 1 } },
]
planned.clear()
const recoveries: { scenario: Scenario; death: Death; wrong: readonly string[]; deaths: Death[] }[] = []
for (const { scenario, death } of isWholeCampaign ? LEFT_OPEN : LEFT_OPEN.slice(0, RECOVERIES)) {
  const { wrong, recovery } = await playWithTwoCrashes(shop, scout, scenario, death, null)
  recoveries.push({ scenario, death, wrong, deaths: newDeaths(recovery) })
}
// An orderly end writes the compile cache, which speeds up the many starts that follow.
await scout.stop()
await scout.start()
free.push(scout)
for (let lane = 1; lane < LANES; lane += 1) free.push(await openLane())

describe('without a kill', () => {
  test.each(rehearsed)('$scenario.name: the ledgers agree', ({ scenario, ends, wrong }) => {
    expect(wrong).toEqual([])
    expect(ends).toEqual(scenario.ends)
  })

  test('passes the steps that must survive a crash', () => {
    const passed = rehearsed.flatMap(({ deaths }) => deaths.map(({ step }) => step))
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

for (const { scenario, deaths } of rehearsed) {
  describe.concurrent(`${scenario.name}:`, () => {
    for (const death of todays(deaths, DAYS)) {
      test(`survives a kill ${death.step}`, async () => {
        const { wrong } = await withLane((lane) => playWithCrash(shop, lane, scenario, death))
        expect(wrong).toEqual([])
      })
    }
  })
}

for (const { scenario, death, wrong, deaths } of recoveries) {
  describe.concurrent(`after a kill ${death.step}`, () => {
    test('recovers', () => {
      expect(wrong).toEqual([])
    })

    for (const inRecovery of todays(deaths, DAYS)) {
      test(`survives a kill of the recovery ${inRecovery.step}`, async () => {
        const { wrong: wrongAfter } = await withLane((lane) =>
          playWithTwoCrashes(shop, lane, scenario, death, inRecovery),
        )
        expect(wrongAfter).toEqual([])
      })
    }
  })
}

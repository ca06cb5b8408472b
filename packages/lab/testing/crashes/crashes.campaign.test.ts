import { afterAll, describe, expect, test } from 'vitest'
import { prepareLane, type Death, type CrashingLane } from './lane.ts'
import { isWholeCampaign, todays } from '../campaign.ts'
import { openShop } from './shop.ts'
import { playWithCrash, playWithTwoCrashes, playThrough, SCENARIOS, type Scenario } from './scenarios.ts'

/** So many lanes are killed at once. */
const LANES = 3
/**
 * What a terminal does by the clock, whoever stands at it: a scenario passes it by chance, so no scenario is killed
 * there by name.
 */
const BY_THE_CLOCK = /\becho\b|\boffers\b|echo_(?:result|hour|outage)|offer_list/
/**
 * A payment with miles in every way that it can end. The whole campaign adds issuances, returns, sales without a card,
 * and miles that are given back.
 */
const PAYMENTS = 7
/** The kills of a recovery after a redemption that was begun; the whole campaign adds those after everything else. */
const RECOVERIES = 1
/** In so many days every kill has been played once. */
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

/** Lends a lane that runs. One on which a scenario failed is not lent again. */
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

/** Every step at which nothing was killed yet, by name, the first time that it is passed. */
const seen = new Set<string>()
const unseen = (steps: readonly string[]): Death[] =>
  [...new Set(steps)]
    .filter((step) => !seen.has(step) && !BY_THE_CLOCK.test(step))
    .map((step) => {
      seen.add(step)
      return { step, occurrence: 1 }
    })

/** Steps at which a scenario is killed again, each the last time that it is passed. */
const again = (steps: readonly string[], { again: wanted }: Scenario): Death[] =>
  [...Map.groupBy(steps, (step) => step)]
    .filter(([step]) => wanted?.test(step) && seen.has(step))
    .map(([step, { length: occurrence }]) => ({ step, occurrence }))

// What there is to be killed at is found by playing each scenario once without a kill: a step that is new is killed at
// too.
const scout = await openLane()
const rehearsed: { scenario: Scenario; ends: readonly string[]; wrong: readonly string[]; deaths: Death[] }[] = []
for (const scenario of isWholeCampaign ? SCENARIOS : SCENARIOS.slice(0, PAYMENTS)) {
  scout.forgetSteps()
  const { ends, wrong } = await playThrough(shop, scout, scenario)
  const steps = scout.steps()
  rehearsed.push({ scenario, ends, wrong, deaths: [...again(steps, scenario), ...unseen(steps)] })
}

/** Where the first kill falls before a kill of its recovery: one for each thing that a restart has to finish. */
const [sales, , lost] = SCENARIOS as readonly [Scenario, Scenario, Scenario]
const LEFT_OPEN: readonly { scenario: Scenario; death: Death }[] = [
  { scenario: sales, death: { step: 'after commit: redeem →intent', occurrence: 1 } },
  { scenario: sales, death: { step: 'before the answer: issuance/issue', occurrence: 1 } },
  { scenario: sales, death: { step: 'after commit: redeem approved→reversing', occurrence: 1 } },
  { scenario: sales, death: { step: 'before the answer: loyaltycash/inquire', occurrence: 1 } },
  { scenario: lost, death: { step: 'after commit: redeem intent→retry', occurrence: 1 } },
]
seen.clear()
const recoveries: { scenario: Scenario; death: Death; wrong: readonly string[]; deaths: Death[] }[] = []
for (const { scenario, death } of isWholeCampaign ? LEFT_OPEN : LEFT_OPEN.slice(0, RECOVERIES)) {
  const { wrong, recovery } = await playWithTwoCrashes(shop, scout, scenario, death, null)
  recoveries.push({ scenario, death, wrong, deaths: unseen(recovery) })
}
// A clean end writes down what was compiled, and spares the many starts to come the work.
await scout.stop()
await scout.start()
free.push(scout)
for (let lane = 1; lane < LANES; lane += 1) free.push(await openLane())

describe('without a kill', () => {
  test.each(rehearsed)('$scenario.name: the ledgers agree', ({ scenario, ends, wrong }) => {
    expect(wrong).toEqual([])
    expect(ends).toEqual(scenario.ends)
  })

  test('the scenarios pass the steps that a crash must survive', () => {
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
      test(`killed ${death.step}`, async () => {
        const { wrong } = await withLane((lane) => playWithCrash(shop, lane, scenario, death))
        expect(wrong).toEqual([])
      })
    }
  })
}

for (const { scenario, death, wrong, deaths } of recoveries) {
  describe.concurrent(`killed ${death.step}; then the start`, () => {
    test('is not killed', () => {
      expect(wrong).toEqual([])
    })

    for (const inRecovery of todays(deaths, DAYS)) {
      test(`is killed ${inRecovery.step}, and the next is not`, async () => {
        const { wrong: wrongAfter } = await withLane((lane) =>
          playWithTwoCrashes(shop, lane, scenario, death, inRecovery),
        )
        expect(wrongAfter).toEqual([])
      })
    }
  })
}

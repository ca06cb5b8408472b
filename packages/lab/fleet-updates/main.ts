import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runCommand } from '../../../contracts/core/command-line.ts'
import { playFleet, type FleetResult } from './fleet.ts'
import { oddsOfHalt } from './odds.ts'

/**
 * `npm run lab fleet:updates`: an update goes over a simulated fleet, with the real client, publisher and controller.
 */
const HELP = `npm run lab -- fleet:updates [options]

Sends version 1.5.0 over a fleet in waves, over simulated days: once with a version that does not come up on 3 % of the
lanes, which must stop itself, and once with 1 %, which must go to its end. Lanes are real folders, the server is real.

  --lanes N       (1000)
  --bad PERCENT   one fleet with this share of bad lanes, in place of the two
  --seed N        (2) the same seed plays the same. In one of five the rule stops a wave with 1 % by bad luck: --odds
  --look-hours N  (3) how often a running lane looks
  --odds          only how often the rule itself halts, over 1,000 orders of the reports
`

function percentOf(option: string, text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value > 100) throw new Error(`--${option} needs a number up to 100, not ${text}`)
  return value
}

function tell(result: FleetResult, lanes: number, seconds: number): void {
  const { halt, touched, bad, versions, overBetween, away, days, looks, odd, untold } = result
  if (halt)
    console.log(
      `STOPPED by itself at ${halt.at}, in the wave of ${halt.wavePercent} %: ${halt.lanesTouched} of ${lanes} lanes ` +
        `were touched, ${halt.lanesLeft} of them left it; ${touched - halt.lanesTouched} lanes started it afterwards`,
    )
  else console.log(`went to its end: ${touched} of ${lanes} lanes were touched, ${bad} bad ones went back`)
  const ends = Object.entries(versions).map(([version, count]) => `${count} on ${version}`)
  console.log(`after ${days} days: ${ends.join(', ')}`)
  console.log(
    `${overBetween} lanes of 1.2.0 came over 1.4.0; ${away} lanes were away until the last version was stable`,
  )
  const others = Object.entries(odd).map(([what, count]) => `${count} × ${what}`)
  console.log(
    `${looks} looks in ${seconds.toFixed(1)} s, unusual: ${others.join(', ') || 'none'}; untold reports: ${untold}`,
  )
}

/** Reports that are kept in memory alone where there is room: thousands of small files are written. */
const placeOfFleet = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

async function play(badPercent: number, options: { lanes: number; seed: number; lookHours: number }): Promise<boolean> {
  console.log(`\n${options.lanes} lanes, ${badPercent} % of them bad`)
  const folder = mkdtempSync(path.join(placeOfFleet(), 'milepost-fleet-'))
  const startedAt = performance.now()
  try {
    const result = await playFleet({ ...options, folder, badPercent, onDay: (line) => console.log(line) })
    tell(result, options.lanes, (performance.now() - startedAt) / 1_000)
    return result.halt !== null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function tellOdds(lanes: number): void {
  for (const bad of [0.5, 1, 1.5, 2, 3, 5]) {
    const { runs, halted, medianReported } = oddsOfHalt(lanes, bad, 1_000)
    const when = medianReported === null ? '' : `, half of them before ${medianReported} lanes had reported`
    console.log(`${bad} % bad of ${lanes} lanes: halted in ${halted} of ${runs} runs${when}`)
  }
}

await runCommand(
  process,
  HELP,
  { texts: 'bad', flags: 'odds', numbers: { lanes: [0, 100_000], seed: [0, 1e9], 'look-hours': [0, 12] } },
  async ({ values: { lanes = 1_000, seed = 2, 'look-hours': lookHours = 3, odds, bad } }) => {
    const options = { lanes, seed, lookHours }
    if (odds) tellOdds(lanes)
    else if (bad !== undefined) await play(percentOf('bad', bad), options)
    else {
      const isRight = (await play(3, options)) && !(await play(1, options))
      console.log(isRight ? '\nas it should be' : '\nNOT as it should be: 3 % must stop itself, 1 % must not')
      return isRight ? 0 : 1
    }
    return 0
  },
)

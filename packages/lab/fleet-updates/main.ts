import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runCommand } from '../../../contracts/core/command-line.ts'
import { playFleet, type FleetResult } from './fleet.ts'
import { oddsOfHalt } from './halt-statistics.ts'

/**
 * `npm run lab -- fleet:updates`: updates a simulated fleet of lanes with Milepost’s own update client, `updates
 * publish` and controller.
 */
const HELP = `npm run lab -- fleet:updates [options]

Updates a simulated fleet to version 1.5.0 in waves over several days: once with a version that does not start on 3 %
of the lanes and must halt itself, and once with 1 %, which must reach all lanes. Folders and server are real.

  --lanes N       number of lanes (1000)
  --bad PERCENT   one fleet with this share of bad lanes instead of the two
  --seed N        (2) the same seed gives the same run. One in five halts a wave with 1 % by chance: see --odds
  --look-hours N  (3) hours between two checks of a running lane
  --odds          only shows how often the rule halts, over 1,000 orders of the reports
`

function percentOf(option: string, text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value > 100) throw new Error(`--${option} needs a number up to 100, not ${text}`)
  return value
}

function printResult(result: FleetResult, lanes: number, seconds: number): void {
  const { halt, touched, bad, versions, viaIntermediate, off, days, checks, odd, unsentReports } = result
  if (halt)
    console.log(
      `HALTED at ${halt.at}, in the wave of ${halt.wavePercent} %: ${halt.lanesTouched} of ${lanes} lanes ` +
        `had started it, ${halt.lanesLeft} of them left it; ${touched - halt.lanesTouched} lanes started it afterwards`,
    )
  else console.log(`completed: ${touched} of ${lanes} lanes started it, ${bad} bad ones kept the old version`)
  const ends = Object.entries(versions).map(([version, count]) => `${count} on ${version}`)
  console.log(`after ${days} days: ${ends.join(', ')}`)
  console.log(
    `${viaIntermediate} lanes from 1.2.0 updated via 1.4.0; ${off} lanes were off until the last version was stable`,
  )
  const others = Object.entries(odd).map(([what, count]) => `${count} × ${what}`)
  const unusual = others.join(', ') || 'none'
  console.log(`${checks} checks in ${seconds.toFixed(1)} s, unusual: ${unusual}; unsent reports: ${unsentReports}`)
}

/** Returns a folder in memory if possible, because thousands of small files are written. */
const placeOfFleet = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

async function play(
  badPercent: number,
  options: { lanes: number; seed: number; checkHours: number },
): Promise<boolean> {
  console.log(`\n${options.lanes} lanes, ${badPercent} % of them bad`)
  const folder = mkdtempSync(path.join(placeOfFleet(), 'milepost-fleet-'))
  const startedAt = performance.now()
  try {
    const result = await playFleet({ ...options, folder, badPercent, onDay: (line) => console.log(line) })
    printResult(result, options.lanes, (performance.now() - startedAt) / 1_000)
    return result.halt !== null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function printOdds(lanes: number): void {
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
  async ({ values: { lanes = 1_000, seed = 2, 'look-hours': checkHours = 3, odds, bad } }) => {
    const options = { lanes, seed, checkHours }
    if (odds) printOdds(lanes)
    else if (bad !== undefined) await play(percentOf('bad', bad), options)
    else {
      const isRight = (await play(3, options)) && !(await play(1, options))
      console.log(isRight ? '\npassed' : '\nFAILED: 3 % must halt itself, 1 % must not')
      return isRight ? 0 : 1
    }
    return 0
  },
)

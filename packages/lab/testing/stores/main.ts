import { randomInt } from 'node:crypto'
import { type CommandLine, runCommand } from '../../../../contracts/core/command-line.ts'
import { runStore, type RunResult } from './run.ts'

const USAGE = `npm run lab -- store [options]

Runs a store of real processes: lanes, the store's server, PostgreSQL, and a proxy between them that loses, delays
and doubles calls. Sells at all lanes, with returns, gift cards and held sales across lanes, while lanes, server and
database are killed and the network is partitioned. After the faults end, the database is compared with the printed
documents of the lanes.

  --lanes N     number of lanes (default 3)
  --sales M     stop after this many sales (default 500) …
  --seconds S   … or after this time (default 600)
  --every MS    mean time between two faults (default 4000)
  --pause MS    mean time between two customers of a lane (default 0)
  --seed X      draws customers, faults and moments (default: a new one, printed)
  --help        this text

Exits with 1 if a record is lost, doubled or wrong. A seed repeats its draws, but not the timing of the processes.`

const COUNT = [0, 999_999_999] as const

const DECLARED = {
  numbers: { lanes: COUNT, sales: COUNT, seconds: COUNT, every: COUNT, pause: COUNT, seed: COUNT },
} as const

async function run({ values }: CommandLine<never, never, never, keyof typeof DECLARED.numbers>): Promise<number> {
  const { seed = randomInt(1, 1_000_000_000) } = values
  console.log(`seed ${seed}`)
  const result = await runStore({
    lanes: values.lanes ?? 3,
    sales: values.sales ?? 500,
    seconds: values.seconds ?? 600,
    everyMs: values.every ?? 4_000,
    minimumFaults: 1,
    pauseMs: values.pause ?? 0,
    seed,
    fsync: true,
    log: console.log,
  })
  if (typeof result === 'string') throw new Error(result)
  report(result)
  return result.found.length === 0 ? 0 : 1
}

function report(result: RunResult): void {
  const { found, books, papers, done, refused, faults, wire, repeatedCalls } = result
  const table = (name: string, all: Iterable<readonly [string, number]>): void => {
    console.log(name)
    for (const [what, times] of all) console.log(`  ${String(times).padStart(7)}  ${what}`)
  }
  table('done', done)
  table(
    'refused',
    [...refused].toSorted(([, a], [, b]) => b - a),
  )
  table('faults', faults)
  table('network faults', Object.entries(wire))
  for (const { rule, what } of found) console.log(`error (${rule}): ${what}`)
  const completed = books.sales.filter(({ state }) => state === 'completed').length
  console.log(
    `${completed} sales, ${books.returns.length} returns and ${books.facts.length} facts in the database, ` +
      `${papers.length} documents; ${repeatedCalls} calls repeated; sold in ${result.sellingSeconds} s, recovered in ` +
      `${result.healingSeconds} s: ${found.length} errors`,
  )
}

await runCommand(process, `${USAGE}\n`, DECLARED, run)
// Exit explicitly, which ends processes that still run after a failure.
process.exit()

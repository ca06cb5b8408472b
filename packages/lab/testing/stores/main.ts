import { randomInt } from 'node:crypto'
import { type CommandLine, runCommand } from '../../../../contracts/core/command-line.ts'
import { runStore, type RunResult } from './run.ts'

const USAGE = `npm run lab -- store [options]

A store of real processes: lanes, the store's server, PostgreSQL, and a line between them that loses, delays and doubles
calls. Sells at all lanes, also returns, gift cards and held sales from one lane to the other, while lanes, server and
database are killed and parted. Then all of it heals, and the database is judged against what the lanes printed.

  --lanes N     so many lanes (default 3)
  --sales M     ends with so many sales (default 500) …
  --seconds S   … or after so long (default 600)
  --every MS    from one kill or partition to the next, in the mean (default 4000)
  --pause MS    between two customers of a lane, in the mean (default 0)
  --seed X      draws customers, faults and moments (default: a new one, printed)
  --help        this text

Ends with 1 when anything was lost, doubled or otherwise wrong. What a seed draws is always the same; what real
processes make of it is not.`

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
    leastStrikes: 1,
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
  const { found, books, papers, done, refused, strikes, wire, askedAgain } = result
  const table = (name: string, all: Iterable<readonly [string, number]>): void => {
    console.log(name)
    for (const [what, times] of all) console.log(`  ${String(times).padStart(7)}  ${what}`)
  }
  table('done', done)
  table(
    'refused',
    [...refused].toSorted(([, a], [, b]) => b - a),
  )
  table('struck', strikes)
  table('on the wire', Object.entries(wire))
  for (const { rule, what } of found) console.log(`wrong (${rule}): ${what}`)
  const completed = books.sales.filter(({ state }) => state === 'completed').length
  console.log(
    `${completed} sales, ${books.returns.length} returns and ${books.facts.length} facts in the database, ` +
      `${papers.length} papers; ${askedAgain} calls asked again; sold in ${result.sellingSeconds} s, healed in ` +
      `${result.healingSeconds} s: ${found.length} lost, doubled or otherwise wrong`,
  )
}

await runCommand(process, `${USAGE}\n`, DECLARED, run)
// Ends processes that still run after a failure.
process.exit()

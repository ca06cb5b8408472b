import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
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

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      lanes: { type: 'string', default: '3' },
      sales: { type: 'string', default: '500' },
      seconds: { type: 'string', default: '600' },
      every: { type: 'string', default: '4000' },
      pause: { type: 'string', default: '0' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  const seed = values.seed === undefined ? randomInt(1, 1_000_000_000) : whole('--seed', values.seed)
  console.log(`seed ${seed}`)
  const result = await runStore({
    lanes: whole('--lanes', values.lanes),
    sales: whole('--sales', values.sales),
    seconds: whole('--seconds', values.seconds),
    everyMs: whole('--every', values.every),
    leastStrikes: 1,
    pauseMs: whole('--pause', values.pause),
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

function whole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`${name} takes a whole number, not ${text}`)
  return Number(text)
}

// What still runs after a failure ends with this process.
run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? (error.stack ?? error.message) : String(error))
    process.exit(2)
  },
)

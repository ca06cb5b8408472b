import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { PLANTED_BUGS } from './planted-bugs-chosen.ts'
import { copyTree, plant } from './tree-copy.ts'

/**
 * `npm run planted`: breaks the engine's promises one at a time, in a copy of the tree, and lets the simulation look
 * for each. A bug that no seed finds is a hole in the simulation. Ends with 1 when there is one.
 */
interface Found {
  readonly seeds: number
  readonly failing: readonly { readonly seed: number; readonly violations: readonly string[] }[]
}

const USAGE = `npm run planted -- [--seeds N] [--only WORD]

  --seeds N     how many seeds may be played to find a bug (default 10000)
  --only WORD   only the bugs whose name has this word`

function play(tree: string, seeds: number): Promise<Found | string> {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['backend/simulation/main.ts', '--seeds', String(seeds), '--until-fails', '--json'],
      { cwd: tree, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let [out, err] = ['', '']
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString()
    })
    child.stderr.on('data', (part: Buffer) => {
      err += part.toString()
    })
    child.on('close', () => {
      try {
        resolve(JSON.parse(out) as Found)
      } catch {
        resolve(err.split('\n').find((line) => line.trim() !== '') ?? 'no report')
      }
    })
  })
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '10000' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  const bugs = PLANTED_BUGS.filter(({ name }) => name.includes(values.only))
  const { tree, remove } = await copyTree(['backend', 'contracts', 'hardware', 'stores'])
  let missed = 0
  try {
    console.log('| # | bug planted | found by seed | in words |\n|---|---|---|---|')
    for (const [index, bug] of bugs.entries()) {
      let row: string
      try {
        const mend = await plant(tree, bug)
        const found = await play(tree, Number(values.seeds))
        await mend()
        const [first] =
          typeof found === 'string' ? [] : [...found.failing].sort((left, right) => left.seed - right.seed)
        if (typeof found === 'string') row = `**not judged** | ${found}`
        else
          row = first
            ? `${first.seed} | ${(first.violations[0] ?? '').replaceAll(/\s+/g, ' ').slice(0, 140)}`
            : `**none of ${found.seeds}** | `
      } catch (error) {
        row = `**not judged** | ${error instanceof Error ? error.message : String(error)}`
      }
      if (row.startsWith('**')) missed += 1
      console.log(`| ${index + 1} | ${bug.name} | ${row} |`)
    }
  } finally {
    await remove()
  }
  console.log(`\n${bugs.length - missed} of ${bugs.length} planted bugs found`)
  return missed === 0 ? 0 : 1
}

run().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 2
  },
)

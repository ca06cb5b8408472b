import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { MUTATIONS } from './mutations-chosen.ts'
import { copyTree, plant } from './tree-copy.ts'

/**
 * `npm run mutations`: breaks the reference services' rules one at a time, in a copy of the tree, and runs the
 * conformance suite against each. A rule whose break no check notices is a hole in the suite. Ends with 1 when there is
 * one. `-- --only TEXT`: only those whose name has this in it.
 */
interface Check {
  readonly id: string
  readonly outcome: string
  readonly reason: string
}
/** A mutation may make the services hang. */
const DEADLINE_MS = 120_000

/** The suite's report in the copy; why there is none, when the services did not start or the run did not end. */
function conform(tree: string): Promise<readonly Check[] | string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['central/conformance/main.ts', '--json'], {
      cwd: tree,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString()
    })
    child.stderr.on('data', (part: Buffer) => {
      err += part.toString()
    })
    const late = setTimeout(() => child.kill('SIGTERM'), DEADLINE_MS)
    child.on('close', () => {
      clearTimeout(late)
      try {
        resolve((JSON.parse(out) as { checks: Check[] }).checks)
      } catch {
        resolve(err.split('\n')[0] || 'no report')
      }
    })
  })
}

const failed = (checks: readonly Check[]): Set<string> =>
  new Set(checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id))

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
  const chosen = MUTATIONS.filter(({ name }) => name.includes(values.only))
  if (chosen.length === 0) throw new Error(`no mutation has "${values.only}" in its name`)
  const { tree, remove } = await copyTree(['central', 'contracts'])
  try {
    const sound = await conform(tree)
    if (typeof sound === 'string') throw new Error(`the suite does not run against the services as they are: ${sound}`)
    const before = failed(sound)
    process.stdout.write(
      `${sound.length} checks; ${before.size} fail before anything is changed and do not count\n\n| # | rule broken | caught by |\n|---|---|---|\n`,
    )
    let missed = 0
    for (const [index, mutation] of chosen.entries()) {
      let caught: string
      try {
        const undo = await plant(tree, mutation)
        const checks = await conform(tree)
        await undo()
        if (typeof checks === 'string') caught = `**not judged**: ${checks}`
        else {
          const noticed = [...failed(checks)].filter((id) => !before.has(id))
          caught =
            noticed.length === 0
              ? '**nothing**'
              : `${noticed
                  .slice(0, 3)
                  .map((id) => `\`${id}\``)
                  .join(', ')}${noticed.length > 3 ? ` and ${noticed.length - 3} more` : ''}`
        }
      } catch (error) {
        caught = `**not judged**: ${error instanceof Error ? error.message : String(error)}`
      }
      if (caught.startsWith('**')) missed += 1
      process.stdout.write(`| ${index + 1} | ${mutation.name} | ${caught} |\n`)
    }
    process.stdout.write(`\n${chosen.length - missed} of ${chosen.length} mutations caught\n`)
    return missed === 0 ? 0 : 1
  } finally {
    await remove()
  }
}

run().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 2
  },
)

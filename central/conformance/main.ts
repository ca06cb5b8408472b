import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readBench, type Bench } from './bench.ts'
import { startCentralProcess, type CentralProcess } from './central-process.ts'
import { CHECKS } from './checks.ts'
import { createCaller } from './http.ts'
import { createLane } from './lane.ts'
import { runChecks, type Result } from './run.ts'
import { tableOf } from './table.ts'

const USAGE = `Checks an implementation of the central services against the specifications, rule by rule.

  npm run test:conformance -- [options]

  --target URL      where the services are; without it the reference services are started for the run
  --bench FILE      people, places and paths of the target (JSON); without it the reference services' own
  --control URL     the control port of the target, if it has one
  --client-id ID    partner's client; also MILEPOST_CLIENT_ID. The secret comes in MILEPOST_CLIENT_SECRET
  --only TEXT       only checks whose id begins with this
  --json            the report as one line of JSON on standard output
  --quiet           only what failed or was skipped
  --list            the checks instead of a run; with --markdown the table from section to check
  --help

Ends with 0 when nothing failed, 1 when something did, 2 when the run could not be made.
`

const OPTIONS = {
  target: { type: 'string' }, bench: { type: 'string' }, control: { type: 'string' }, 'client-id': { type: 'string' }, only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false }, quiet: { type: 'boolean', default: false }, list: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false }, out: { type: 'string' }, help: { type: 'boolean', default: false },
} as const

async function run(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) return say(USAGE)
  const checks = CHECKS.filter(({ id }) => id.startsWith(values.only))
  if (values.list) {
    const text = values.markdown ? tableOf(checks) : checks.map(({ id, section, title }) => `${id}\t${section}\t${title}\n`).join('')
    if (values.out === undefined) return say(text)
    writeFileSync(values.out, text)
    return 0
  }
  if (checks.length === 0) throw new Error(`no check begins with "${values.only}"`)
  const given = readBench(values.bench)
  let own: CentralProcess | undefined
  const caller = createCaller()
  try {
    if (values.target === undefined) own = await startCentralProcess()
    const target = values.target ?? own?.url ?? ''
    const bench: Bench = {
      ...given,
      tokenUrl: own?.tokenUrl ?? given.tokenUrl,
      controlUrl: values.control ?? own?.controlUrl ?? given.controlUrl,
      clientId: own?.clientId ?? values['client-id'] ?? process.env.MILEPOST_CLIENT_ID ?? given.clientId,
      clientSecret: own?.clientSecret ?? process.env.MILEPOST_CLIENT_SECRET ?? given.clientSecret,
    }
    const results = await runChecks(checks, createLane(target, bench, caller), (result) => {
      if (!values.json && !(values.quiet && result.outcome === 'passed')) process.stdout.write(lineOf(result))
    })
    const count = (outcome: Result['outcome']): number => results.filter((result) => result.outcome === outcome).length
    const tally = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
    if (values.json) say(`${JSON.stringify({ target, ...tally, checks: results })}\n`)
    else say(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`)
    return tally.failed === 0 ? 0 : 1
  } finally {
    caller.close()
    await own?.stop()
  }
}

const MARKS = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' } as const
const lineOf = ({ id, section, title, outcome, reason }: Result): string => `${MARKS[outcome]} ${id} [${section}] ${title}${reason === '' ? '' : `\n     ${reason}`}\n`

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

run().then((code) => { process.exitCode = code }, (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
})

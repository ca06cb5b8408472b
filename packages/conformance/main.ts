import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { type CommandLine, runCommand } from '../../contracts/core/command-line.ts'
import { Bench, readBench } from './bench.ts'
import { type Central, startCentral } from '../lab/rig/central.ts'
import { CHECKS } from './checks.ts'
import { createCaller } from './expect.ts'
import { Lane } from './lane.ts'
import { runChecks, tallyOf, type Result, type Tally } from './run.ts'
import { tableOf } from './sections.ts'

const USAGE = `Checks an implementation of the central services against the specifications, rule by rule.

  npm run lab -- conformance [options]

  --target URL      where the services are; without it the reference services are started for the run
  --bench FILE      people, places, paths, statuses of the target (YAML or JSON); without it the reference services' own
  --bench-schema    the fields of the bench file as JSON Schema, with their defaults, instead of a run
  --control URL     the control port of the target, if it has one
  --client-id ID    partner's client; also MILEPOST_CLIENT_ID. The secret comes in MILEPOST_CLIENT_SECRET,
                    a token that was obtained otherwise in MILEPOST_ACCESS_TOKEN
  --decisions KIND  told: what we decided and the specifications do not say is told apart and never fails (with
                    --target); kept: it is a rule like any other (the reference services)
  --only TEXT       only checks whose id begins with this
  --json            the report as one line of JSON on standard output
  --out FILE        with --list: writes them to this file
  --quiet           only what failed, is done otherwise than we decided, or cannot be shown
  --list            the checks instead of a run; with --markdown the table from section to check
  --help

Outcomes: passed and failed are about what a specification says; decided about what it does not say (done alike or
otherwise); not shown is what this target or its bench file cannot show.
Ends with 0 when nothing failed, 1 when something did, 2 when the run could not be made.
`

const DECLARED = {
  texts: 'target bench control client-id only decisions out',
  flags: 'bench-schema json quiet list markdown',
} as const
type Given = CommandLine<typeof DECLARED.texts, typeof DECLARED.flags>

async function run({ only = '', ...values }: Given['values']): Promise<number> {
  if (values['bench-schema']) return say(`${JSON.stringify(z.toJSONSchema(Bench, { io: 'input' }), null, 2)}\n`)
  const decisions = values.decisions ?? (values.target === undefined ? 'kept' : 'told')
  if (decisions !== 'told' && decisions !== 'kept') throw new Error(`--decisions is told or kept, not "${decisions}"`)
  const checks = CHECKS.filter(({ id }) => id.startsWith(only))
  if (values.list) {
    const text = values.markdown
      ? tableOf(checks)
      : checks.map(({ id, section, title }) => `${id}\t${section}\t${title}\n`).join('')
    if (values.out === undefined) return say(text)
    writeFileSync(values.out, text)
    return 0
  }
  if (checks.length === 0) throw new Error(`no check begins with "${only}"`)
  const given = readBench(values.bench)
  let own: Central | undefined
  const caller = createCaller()
  try {
    if (values.target === undefined) own = await startCentral({ more: ['--token-ttl', '3600'] })
    const target = values.target ?? own?.url ?? ''
    const bench: Bench = {
      ...given,
      tokenUrl: own?.tokenUrl ?? given.tokenUrl,
      controlUrl: values.control ?? own?.controlUrl ?? given.controlUrl,
      clientId: own?.clientId ?? values['client-id'] ?? process.env.MILEPOST_CLIENT_ID ?? given.clientId,
      token: { ...given.token, given: process.env.MILEPOST_ACCESS_TOKEN ?? given.token.given },
      clientSecret: own?.clientSecret ?? process.env.MILEPOST_CLIENT_SECRET ?? given.clientSecret,
    }
    const results = await runChecks(
      checks,
      new Lane(target, bench, caller),
      (result) => {
        if (!values.json && !(values.quiet && isAsWanted(result))) process.stdout.write(lineOf(result))
      },
      { decisions },
    )
    const tally = tallyOf(results)
    say(values.json ? `${JSON.stringify({ target, decisions, ...tally, checks: results })}\n` : `${summaryOf(tally)}\n`)
    return tally.failed === 0 ? 0 : 1
  } finally {
    caller.close()
    await own?.stop()
  }
}

const isAsWanted = ({ outcome, agrees }: Result): boolean => outcome === 'passed' || agrees === true
const summaryOf = ({ passed, failed, decided, notShown }: Tally): string =>
  `${passed} passed, ${failed} failed, ${decided.alike + decided.otherwise} decided (${decided.otherwise} done ` +
  `otherwise), ${notShown} not shown`
const markOf = ({ outcome, agrees }: Result): string =>
  outcome === 'decided'
    ? agrees
      ? 'alike'
      : 'other'
    : { passed: 'ok   ', failed: 'FAIL ', 'not-shown': 'n/s  ' }[outcome]
const lineOf = (result: Result): string => {
  const { id, section, title, reason } = result
  return `${markOf(result)} ${id} [${section}] ${title}${reason === '' ? '' : `\n      ${reason}`}\n`
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

await runCommand(process, USAGE, DECLARED, ({ values }) => run(values))

import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { type CommandLine, runCommand } from '../../contracts/core/command-line.ts'
import { Bench, readBench } from './bench.ts'
import { type Central, startCentral } from '../lab/rig/central.ts'
import { CHECKS } from './checks.ts'
import { createCaller } from './expect.ts'
import { Client } from './client.ts'
import { runChecks, tallyOf, type Result, type Tally } from './run.ts'
import { pageOf } from './sections.ts'

const USAGE = `Checks an implementation of the central services against the specifications, rule by rule.

  npm run lab -- conformance [options]

  --target URL      base address of the services; default: starts the reference services for the run
  --bench FILE      people, places, paths and statuses of the target (YAML or JSON); default: the reference services'
  --bench-schema    prints the fields of the bench file with their defaults as JSON Schema, without a run
  --control URL     the control port of the target, if it has one
  --client-id ID    client id of the partner; also MILEPOST_CLIENT_ID. The secret is read from
                    MILEPOST_CLIENT_SECRET, an existing token from MILEPOST_ACCESS_TOKEN
  --decisions KIND  reported: report decisions on open points of the specifications separately, never as a
                    failure (default with --target); enforced: treat them as rules (default for the
                    reference services)
  --only TEXT       run only checks whose id starts with this text
  --json            print the report as one line of JSON
  --out FILE        with --list: write to this file
  --quiet           print only checks that failed, differ from a decision, or cannot be tested
  --list            list the checks instead of running them; with --markdown: the page of the documentation
  --help

Outcomes: passed and failed for rules of a specification; decided for open points (alike or otherwise); not shown when
the target or its bench file lacks something that the check needs.
Exit codes: 0 nothing failed, 1 a check failed, 2 the run was not possible.
`

const DECLARED = {
  texts: 'target bench control client-id only decisions out',
  flags: 'bench-schema json quiet list markdown',
} as const
type Given = CommandLine<typeof DECLARED.texts, typeof DECLARED.flags>

async function run({ only = '', ...values }: Given['values']): Promise<number> {
  if (values['bench-schema']) return print(`${JSON.stringify(z.toJSONSchema(Bench, { io: 'input' }), null, 2)}\n`)
  const decisions = values.decisions ?? (values.target === undefined ? 'enforced' : 'reported')
  if (decisions !== 'reported' && decisions !== 'enforced')
    throw new Error(`--decisions ${decisions}: unknown value (see --help)`)
  const checks = CHECKS.filter(({ id }) => id.startsWith(only))
  if (values.list) {
    const text = values.markdown
      ? pageOf(checks)
      : checks.map(({ id, section, title }) => `${id}\t${section}\t${title}\n`).join('')
    if (values.out === undefined) return print(text)
    writeFileSync(values.out, text)
    return 0
  }
  if (checks.length === 0) throw new Error(`no check id starts with "${only}"`)
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
      new Client(target, bench, caller),
      (result) => {
        if (!values.json && !(values.quiet && isAsExpected(result))) process.stdout.write(lineOf(result))
      },
      { decisions },
    )
    const tally = tallyOf(results)
    print(
      values.json ? `${JSON.stringify({ target, decisions, ...tally, checks: results })}\n` : `${summaryOf(tally)}\n`,
    )
    return tally.failed === 0 ? 0 : 1
  } finally {
    caller.close()
    await own?.stop()
  }
}

const isAsExpected = ({ outcome, agrees }: Result): boolean => outcome === 'passed' || agrees === true
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

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

await runCommand(process, USAGE, DECLARED, ({ values }) => run(values))

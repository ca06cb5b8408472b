import { languageTyped } from '../../../contracts/core/command-line.ts'
import { localeNamed } from '../../../contracts/i18n/languages.ts'
import { createLog } from '../../store-server/log.ts'
import { openDatabase } from '../../store-server/database.ts'
import { requireImported } from '../../store-server/file-import.ts'
import { listCodes, revokeCodes, revokeDevices } from '../../store-server/enrolment/enrolment.sql.ts'
import { startProfileChecker, type ProfileChecker } from './check-profile.ts'
import { errorText } from '../../../scripts/command-line.ts'
import { issue, type EnrolContext } from './enrol/issue.ts'
import {
  HELP,
  type Target,
  isOf,
  lanesOf,
  needed,
  readEnrolArgs,
  refused,
  translatorOf,
  parseTarget,
} from './enrol/options.ts'
import { isInUse, listOf } from './enrol/stores.ts'

/** `npm run milepost -- enrol COMMAND`: creates one-time codes that give lanes their secret and first PINs. */
const locale = languageTyped(process.argv)
const translate = translatorOf(locale)

async function run(context: EnrolContext, command: string, of: string | undefined): Promise<number> {
  switch (command) {
    case 'new':
      return withChecker((checker) => issue(context, null, checker))
    case 'reissue': {
      const which = parseTarget(of)
      await requireStopped(context, which)
      return withChecker((checker) => issue(context, which, checker))
    }
    case 'revoke':
      await revoke(context, of)
      return 0
    case 'list': {
      const lines = listOf(await listCodes(context.postgres), Date.now(), translate)
      console.log(lines.length === 0 ? translate('none') : lines.join('\n'))
      return 0
    }
    default:
      throw refused('command', { command }, { help: HELP })
  }
}

/**
 * Rejects a lane that contacted the store server within the last minute: its old machine would continue to sell until
 * the new machine is enrolled, which ends the old token.
 */
async function requireStopped({ values, postgres }: EnrolContext, which: Target): Promise<void> {
  if (values.running) return
  const { rows } = await postgres.query<{ lane: string; seconds: number }>(
    `SELECT store || '/' || lane AS lane, extract(epoch FROM now() - seen_at)::integer AS seconds FROM lane
      WHERE store = $1 AND ($2::text IS NULL OR lane = $2) AND seen_at > now() - interval '1 minute' ORDER BY 1`,
    [which.store, which.lane],
  )
  const [first] = rows
  if (first) throw refused('stillRuns', { lane: first.lane, seconds: String(first.seconds) })
}

async function revoke({ postgres, values }: EnrolContext, of: string | undefined): Promise<void> {
  const which = parseTarget(of)
  const named = { which: of ?? '' }
  const known = (await listCodes(postgres)).filter((code) => isOf(code, which))
  if (known.length === 0) throw refused('neverHad', named)
  const count = await revokeCodes(postgres, which, Date.now())
  const inUse = known.filter(isInUse)
  const revoked = translate('revoked', { count })
  if (values.tokens) {
    await revokeDevices(postgres, which, Date.now())
    console.log(`${translate('both', { one: revoked, other: translate('tokensEnded', { count: inUse.length }) })}.`)
  } else console.log(`${revoked}.`)
  if (inUse.length === 0) return
  // Revoking a used code does not end the token that its user, perhaps a thief, got for it: print the CLI command that
  // does.
  console.log(translate('usedBefore', { lanes: lanesOf(inUse, translate) }))
  if (!values.tokens) console.log(translate('endTokens', named))
}

async function withChecker(work: (checker: ProfileChecker) => Promise<number>): Promise<number> {
  const checker = startProfileChecker()
  try {
    return await work(checker)
  } finally {
    checker.close()
  }
}

async function main(args: readonly string[]): Promise<number> {
  const { values, words, help } = readEnrolArgs(args)
  const [command, of] = words
  if (values.language !== undefined && localeNamed(values.language) === undefined)
    throw refused('language', { given: values.language })
  if (command === undefined) {
    process.stdout.write(HELP)
    return help ? 0 : 2
  }
  if (values.data !== undefined) requireImported(values.data)
  const postgres = await openDatabase(needed(values, 'database'), { log: createLog('error') })
  try {
    return await run({ postgres, values, translate, locale }, command, of)
  } finally {
    await postgres.close()
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(errorText(error, HELP, locale))
  process.exitCode = 2
}

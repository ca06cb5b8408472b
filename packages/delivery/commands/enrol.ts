import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { languageTyped } from '../../../contracts/core/command-line.ts'
import { localeNamed } from '../../../contracts/i18n/languages.ts'
import { createLog } from '../../store-server/log.ts'
import { openFileStorage, openPostgresStorage, type Storage } from '../../store-server/storage.ts'
import { startProfileChecker, type ProfileChecker } from './check-profile.ts'
import { complaintOf } from '../../../scripts/command-line.ts'
import { issue, type Order } from './enrol/issue.ts'
import {
  HELP,
  type Values,
  type Which,
  isOf,
  lanesOf,
  needed,
  readEnrolArgs,
  refused,
  translatorOf,
  whichOf,
} from './enrol/options.ts'
import { isInUse, listOf } from './enrol/stores.ts'

/** `npm run milepost -- enrol COMMAND`: one-time codes by which lanes get their secret and first PINs. */
const locale = languageTyped(process.argv)
const say = translatorOf(locale)

/** Returns the exit code. */
async function run(order: Order, command: string, of: string | undefined): Promise<number> {
  switch (command) {
    case 'new':
      return withChecker((checker) => issue(order, null, checker))
    case 'reissue': {
      const which = whichOf(of)
      await needStopped(order, which)
      return withChecker((checker) => issue(order, which, checker))
    }
    case 'revoke':
      await revoke(order, of)
      return 0
    case 'list': {
      const lines = listOf(await order.repository.list(), Date.now(), say)
      console.log(lines.length === 0 ? say('none') : lines.join('\n'))
      return 0
    }
    default:
      throw refused('command', { command }, { help: HELP })
  }
}

/** A lane that is still running would go on at the old machine: its token ends when the new one is enrolled. */
async function needStopped({ values, postgres }: Order, which: Which): Promise<void> {
  if (postgres === null || values.running) return
  const { rows } = await postgres.query<{ lane: string; seconds: number }>(
    `SELECT store || '/' || lane AS lane, extract(epoch FROM now() - seen_at)::integer AS seconds FROM lane
      WHERE store = $1 AND ($2::text IS NULL OR lane = $2) AND seen_at > now() - interval '1 minute' ORDER BY 1`,
    [which.store, which.lane],
  )
  const [first] = rows
  if (first) throw refused('stillRuns', { lane: first.lane, seconds: String(first.seconds) })
}

async function revoke({ repository, values }: Order, of: string | undefined): Promise<void> {
  const which = whichOf(of)
  const named = { which: of ?? '' }
  const known = (await repository.list()).filter((code) => isOf(code, which))
  if (known.length === 0) throw refused('neverHad', named)
  const count = await repository.revoke(which, Date.now())
  const inUse = known.filter(isInUse)
  const revoked = say('revoked', { count })
  if (values.tokens) {
    await repository.revokeDevices(which, Date.now())
    console.log(`${say('both', { one: revoked, other: say('tokensEnded', { count: inUse.length }) })}.`)
  } else console.log(`${revoked}.`)
  if (inUse.length === 0) return
  // What a thief got by it is good where it is shown, whatever is revoked here.
  console.log(say('usedBefore', { lanes: lanesOf(inUse, say) }))
  if (!values.tokens) console.log(say('endTokens', named))
}

async function withChecker(work: (checker: ProfileChecker) => Promise<number>): Promise<number> {
  const checker = startProfileChecker()
  try {
    return await work(checker)
  } finally {
    checker.close()
  }
}

const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')

/** Where the codes are: what the store server has been told too. */
async function openStorage(command: string, values: Values): Promise<Storage> {
  if (values.database !== undefined) return await openPostgresStorage(values.database, { log: createLog('error') })
  const data = path.resolve(needed(values, 'data'))
  // A mistyped folder would be a new one, in which nobody waits.
  if (command !== 'new' && !existsSync(path.join(data, 'store.db'))) throw refused('noCodes', { folder: data })
  mkdirSync(data, { recursive: true, mode: 0o700 })
  return openFileStorage(data)
}

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const { values, words, help } = readEnrolArgs(args)
  const [command, of] = words
  if (values.language !== undefined && localeNamed(values.language) === undefined)
    throw refused('language', { given: values.language })
  if (command === undefined) {
    process.stdout.write(HELP)
    return help ? 0 : 2
  }
  const storage = await openStorage(command, values)
  try {
    return await run({ repository: storage.enrolment, postgres: storage.postgres, values, say, locale }, command, of)
  } finally {
    await storage.close()
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (isLocked(error)) console.error(say('busy'))
  else console.error(complaintOf(error, HELP, locale))
  process.exitCode = 2
}

import '../core/program/engine-settings.ts'
import { createInterface } from 'node:readline/promises'
import type english from '../../contracts/i18n/en-CA/installer.ts'
import { CATALOGS } from '../../contracts/i18n/catalogs.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { sayRefusalIn } from '../../contracts/core/refusal.ts'
import { askedLanguage, refusalWords, translate } from '../core/i18n.ts'
import { writeClientSecret } from '../core/central/client-secret.ts'
import { systemClock } from '../core/clock.ts'
import {
  claimDataFolder,
  EXIT,
  folderRefusal,
  StartRefusedError,
  type DataFolder,
} from '../core/program/data-folder.ts'
import { isCommonPin } from '../../contracts/staff/common-pin.ts'
import { enrolLane, type EnrolOrder } from './enrolment/enrol-lane.ts'
import { createAuditTrail } from '../core/audit.ts'
import { pinKeyOf } from '../staff/pins.ts'
import { createStaffService } from '../staff/sign-in.ts'
import { openTerminalDatabase } from '../core/integrity/open-terminal.ts'
import { readInstallerCommand } from '../core/program/options.ts'
import { formatProfileErrors, loadProfile } from '../core/profile/profile.ts'
import { restoreDatabase } from './restore/restore.ts'
import { readSealKey } from '../core/integrity/seal.ts'
import { staffPartsOf } from '../staff/staff-parts.ts'

type Say = ReturnType<typeof wordsOf>
/** What the words may name. */
const NAMELESS = { command: '', folder: '', known: '', staff: '' }

/** What this command says, in one language: a key under `installer.provision`, and its values. */
function wordsOf(locale: Locale) {
  const t = translate(locale)
  return (key: keyof typeof english.provision, values: Partial<typeof NAMELESS> = {}): string =>
    t(`installer.provision.${key}`, { ...NAMELESS, ...values })
}

/** The installer's door: run while the terminal of this data folder is stopped. */
async function run(): Promise<void> {
  const argv = process.argv.slice(2)
  const locale = askedLanguage(argv)
  const say = wordsOf(locale)
  const order = readOrder(argv, say)
  if (order === 'help') {
    process.stdout.write(`${say('usage')}\n`)
    return
  }
  if (order.command === 'restore') {
    try {
      const told = restoreDatabase(order.data, order.from, readSealKey(process.env))
      process.stdout.write(told.map((refusal) => `${sayRefusalIn(refusal, CATALOGS, locale)}\n`).join(''))
    } catch (error) {
      throw terminalRuns(order.data, folderRefusal(order.data, error), say)
    }
    return
  }
  if (order.command === 'enrol') {
    try {
      process.stdout.write(`${await enrolLane(order, () => readValue(say('askCode'), say), locale)}\n`)
    } catch (error) {
      throw terminalRuns(order.data, folderRefusal(order.data, error), say)
    }
    return
  }
  let folder: DataFolder | null = null
  try {
    folder = claimDataFolder(order.data, readSealKey(process.env), null)
    if (order.command === 'set-secret') {
      writeClientSecret(order.data, await readValue(say('askSecret'), say))
      process.stdout.write(`${say('secretSet')}\n`)
    } else {
      await setPin(folder, order.profile, order.staff, locale)
      process.stdout.write(`${say('pinSet', { staff: order.staff })}\n`)
    }
  } catch (error) {
    throw terminalRuns(order.data, folderRefusal(order.data, error), say)
  } finally {
    folder?.release()
  }
}

/** Whoever provisions a lane has no use for another data folder: the terminal that holds this one must be stopped. */
function terminalRuns(folder: string, error: unknown, say: Say): unknown {
  if (!(error instanceof StartRefusedError) || error.exitCode !== EXIT.folderInUse) return error
  return new StartRefusedError(say('running', { folder }), EXIT.folderInUse)
}

type Order =
  | { readonly command: 'set-secret'; readonly data: string }
  | { readonly command: 'set-pin'; readonly data: string; readonly profile: string; readonly staff: string }
  | { readonly command: 'restore'; readonly data: string; readonly from: string }
  | ({ readonly command: 'enrol' } & EnrolOrder)

/** Throws StartRefusedError with the usage for anything that cannot be understood. */
function readOrder(argv: readonly string[], say: Say): Order | 'help' {
  const refuse = (message: string): never => {
    throw new StartRefusedError(`${message}\n\n${say('usage')}`, EXIT.badArguments)
  }
  const {
    words: [command, ...more],
    values: { data, profile, staff, from, lane = null, service = null, certificate = null },
    help,
  } = readInstallerCommand(
    argv,
    { texts: 'data profile staff from lane service certificate language', words: true },
    () => say('usage'),
  )
  if (help) return 'help'
  if (command !== 'set-secret' && command !== 'set-pin' && command !== 'restore' && command !== 'enrol')
    return refuse(say('noCommand'))
  // It may be a PIN: it is not repeated here.
  if (more.length > 0) return refuse(say('nothingBeside', { command }))
  if (data === undefined) return refuse(say('noData'))
  if (command === 'set-secret') return { command, data }
  if (command === 'restore') return from === undefined ? refuse(say('noBackup')) : { command, data, from }
  if (command === 'enrol')
    return profile === undefined ? refuse(say('noProfile')) : { command, data, profile, lane, service, certificate }
  if (profile === undefined || staff === undefined) return refuse(say('noPerson'))
  return { command, data, profile, staff }
}

/** Asks for the PIN last, so that nothing is typed in vain. */
async function setPin(folder: DataFolder, profileFile: string, staffId: string, locale: Locale): Promise<void> {
  const say = wordsOf(locale)
  const loaded = loadProfile(profileFile)
  if ('errors' in loaded) throw new StartRefusedError(formatProfileErrors(loaded.errors, locale), EXIT.badArguments)
  const person = loaded.profile.staff.find(({ id }) => id === staffId)
  if (!person) {
    const known = loaded.profile.staff.map(({ id }) => id).join(', ')
    throw new StartRefusedError(say('unknownPerson', { staff: staffId, known }), EXIT.badArguments)
  }
  const pin = await readValue(say('askPin'), say)
  if (!/^\d{4,8}$/.test(pin)) throw new StartRefusedError(say('pinShape'), EXIT.badArguments)
  if (loaded.profile.mode === 'production' && isCommonPin(pin))
    throw new StartRefusedError(say('pinCommon'), EXIT.badArguments)
  const database = await openTerminalDatabase(folder, systemClock)
  const { db } = database
  try {
    const audit = createAuditTrail({ db, clock: systemClock, seal: database.seal })
    const ctx = { db, clock: systemClock, audit, profile: loaded.profile }
    // The PIN is temporary: four digits are enough, whatever the profile asks for.
    const staff = createStaffService({ ...staffPartsOf(ctx, pinKeyOf(folder.masterKey)), pinDigits: () => 4 })
    await staff.sync(loaded.profile)
    staff.reinstate(person)
    await staff.setPin(staffId, pin)
  } finally {
    database.close()
  }
}

/** From the environment, else the first line of standard input. Throws StartRefusedError when there is none. */
async function readValue(question: string, say: Say): Promise<string> {
  const given = process.env['MILEPOST_PROVISION_VALUE']
  if (given !== undefined) {
    if (given.trim() !== '') return given.trim()
    throw new StartRefusedError(say('valueEmpty'), EXIT.badArguments)
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  process.stderr.write(question)
  for await (const line of lines) {
    lines.close()
    if (line.trim() !== '') return line.trim()
    break
  }
  throw new StartRefusedError(say('valueMissing'), EXIT.badArguments)
}

// Inside Electron nothing else would end it. `exit` takes the code that stands; what was said is written first.
run()
  .then(() => {
    process.stdout.write('', () => process.exit())
  })
  .catch((error: unknown) => {
    const refused = error instanceof StartRefusedError
    const message = refused
      ? refusalWords(error, askedLanguage(process.argv))
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
    // The message first: whoever started this reads it through a pipe that an exit would cut off on some systems.
    process.stderr.write(`${message}\n`, () => process.exit(refused ? error.exitCode : 1))
  })

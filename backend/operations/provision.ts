import '../core/program/engine-settings.ts'
import { createInterface } from 'node:readline/promises'
import type english from '../../contracts/i18n/en-CA/installer.ts'
import { CATALOGS } from '../../contracts/i18n/catalogs.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { formatRefusalIn } from '../../contracts/core/refusal.ts'
import { requestedLanguage, refusalText, translate } from '../core/i18n.ts'
import { writeClientSecret } from '../core/central/client-secret.ts'
import { systemClock } from '../core/clock.ts'
import { lockDataFolder, EXIT, folderRefusal, StartRefusedError, type DataFolder } from '../core/program/data-folder.ts'
import { isCommonPin } from '../../contracts/staff/common-pin.ts'
import { enrolLane, type EnrolOptions } from './enrolment/enrol-lane.ts'
import { createAuditTrail } from '../core/audit.ts'
import { pinKeyOf } from '../staff/pins.ts'
import { createStaffService } from '../staff/sign-in.ts'
import { openTerminalDatabase } from '../core/integrity/open-terminal.ts'
import { readInstallerCommand } from '../core/program/options.ts'
import { formatProfileErrors, loadProfile } from '../core/profile/profile.ts'
import { writeMailPassword } from '../payments/delivery/mail.ts'
import { restoreDatabase } from './restore/restore.ts'
import { readSealKey } from '../core/integrity/seal.ts'
import { staffModuleOf } from '../staff/staff-module.ts'

type Texts = ReturnType<typeof textsOf>
const NAMELESS = { command: '', folder: '', known: '', staff: '' }

function textsOf(locale: Locale) {
  const t = translate(locale)
  return (key: keyof typeof english.provision, values: Partial<typeof NAMELESS> = {}): string =>
    t(`installer.provision.${key}`, { ...NAMELESS, ...values })
}

async function run(): Promise<void> {
  const argv = process.argv.slice(2)
  const locale = requestedLanguage(argv)
  const t = textsOf(locale)
  const options = readOptions(argv, t)
  if (options === 'help') {
    process.stdout.write(`${t('usage')}\n`)
    return
  }
  if (options.command === 'restore') {
    try {
      const messages = restoreDatabase(options.data, options.from, readSealKey(process.env))
      process.stdout.write(messages.map((refusal) => `${formatRefusalIn(refusal, CATALOGS, locale)}\n`).join(''))
    } catch (error) {
      throw terminalRuns(options.data, folderRefusal(options.data, error), t)
    }
    return
  }
  if (options.command === 'enrol') {
    try {
      process.stdout.write(`${await enrolLane(options, () => readValue(t('askCode'), t), locale)}\n`)
    } catch (error) {
      throw terminalRuns(options.data, folderRefusal(options.data, error), t)
    }
    return
  }
  let folder: DataFolder | null = null
  try {
    folder = lockDataFolder(options.data, readSealKey(process.env), null)
    if (options.command === 'set-secret') {
      writeClientSecret(options.data, await readValue(t('askSecret'), t))
      process.stdout.write(`${t('secretSet')}\n`)
    } else if (options.command === 'set-mail-password') {
      writeMailPassword(options.data, folder.masterKey, await readValue(t('askMailPassword'), t))
      process.stdout.write(`${t('mailPasswordSet')}\n`)
    } else {
      await setPin(folder, options.profile, options.staff, locale)
      process.stdout.write(`${t('pinSet', { staff: options.staff })}\n`)
    }
  } catch (error) {
    throw terminalRuns(options.data, folderRefusal(options.data, error), t)
  } finally {
    folder?.release()
  }
}

/**
 * Explains for a folder in use that the running terminal must be stopped first; the usual advice to use another data
 * folder would not help. Returns other errors unchanged.
 */
function terminalRuns(folder: string, error: unknown, t: Texts): unknown {
  if (!(error instanceof StartRefusedError) || error.exitCode !== EXIT.folderInUse) return error
  return new StartRefusedError(t('running', { folder }), EXIT.folderInUse)
}

type Options =
  | { readonly command: 'set-secret'; readonly data: string }
  | { readonly command: 'set-mail-password'; readonly data: string }
  | { readonly command: 'set-pin'; readonly data: string; readonly profile: string; readonly staff: string }
  | { readonly command: 'restore'; readonly data: string; readonly from: string }
  | ({ readonly command: 'enrol' } & EnrolOptions)

/** Parses the options. Throws StartRefusedError with the usage for invalid ones. */
function readOptions(argv: readonly string[], t: Texts): Options | 'help' {
  const refuse = (message: string): never => {
    throw new StartRefusedError(`${message}\n\n${t('usage')}`, EXIT.badArguments)
  }
  const {
    words: [command, ...more],
    values: { data, profile, staff, from, lane = null, service = null, certificate = null },
    help,
  } = readInstallerCommand(
    argv,
    { texts: 'data profile staff from lane service certificate language', words: true },
    () => t('usage'),
  )
  if (help) return 'help'
  if (
    command !== 'set-secret' &&
    command !== 'set-mail-password' &&
    command !== 'set-pin' &&
    command !== 'restore' &&
    command !== 'enrol'
  )
    return refuse(t('noCommand'))
  // The argument may be a PIN, so the message does not repeat it.
  if (more.length > 0) return refuse(t('nothingBeside', { command }))
  if (data === undefined) return refuse(t('noData'))
  if (command === 'set-secret') return { command, data }
  if (command === 'set-mail-password') return { command, data }
  if (command === 'restore') return from === undefined ? refuse(t('noBackup')) : { command, data, from }
  if (command === 'enrol')
    return profile === undefined ? refuse(t('noProfile')) : { command, data, profile, lane, service, certificate }
  if (profile === undefined || staff === undefined) return refuse(t('noPerson'))
  return { command, data, profile, staff }
}

async function setPin(folder: DataFolder, profileFile: string, staffId: string, locale: Locale): Promise<void> {
  const t = textsOf(locale)
  const loaded = loadProfile(profileFile)
  if ('errors' in loaded) throw new StartRefusedError(formatProfileErrors(loaded.errors, locale), EXIT.badArguments)
  const person = loaded.profile.staff.find(({ id }) => id === staffId)
  if (!person) {
    const known = loaded.profile.staff.map(({ id }) => id).join(', ')
    throw new StartRefusedError(t('unknownPerson', { staff: staffId, known }), EXIT.badArguments)
  }
  const pin = await readValue(t('askPin'), t)
  if (!/^\d{4,8}$/.test(pin)) throw new StartRefusedError(t('pinShape'), EXIT.badArguments)
  if (loaded.profile.mode === 'production' && isCommonPin(pin))
    throw new StartRefusedError(t('pinCommon'), EXIT.badArguments)
  const database = await openTerminalDatabase(folder, systemClock)
  const { db } = database
  try {
    const audit = createAuditTrail({ db, clock: systemClock, seal: database.seal })
    const ctx = { db, clock: systemClock, audit, profile: loaded.profile }
    // The PIN is temporary, so four digits are enough for any profile.
    const staff = createStaffService({ ...staffModuleOf(ctx, pinKeyOf(folder.masterKey)), pinDigits: () => 4 })
    await staff.sync(loaded.profile)
    staff.reinstate(person)
    await staff.setPin(staffId, pin)
  } finally {
    database.close()
  }
}

/**
 * Reads the requested secret (PIN, client secret, mail password or enrolment code) from the environment, otherwise from
 * the first line of standard input. Throws StartRefusedError without one.
 */
async function readValue(question: string, t: Texts): Promise<string> {
  const given = process.env['MILEPOST_PROVISION_VALUE']
  if (given !== undefined) {
    if (given.trim() !== '') return given.trim()
    throw new StartRefusedError(t('valueEmpty'), EXIT.badArguments)
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  process.stderr.write(question)
  for await (const line of lines) {
    lines.close()
    if (line.trim() !== '') return line.trim()
    break
  }
  throw new StartRefusedError(t('valueMissing'), EXIT.badArguments)
}

// Inside Electron the process would not end by itself, so it exits here after its output is written.
run()
  .then(() => {
    process.stdout.write('', () => process.exit())
  })
  .catch((error: unknown) => {
    const refused = error instanceof StartRefusedError
    const message = refused
      ? refusalText(error, requestedLanguage(process.argv))
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
    // On some systems an exit would cut off a pipe, so the message is written first.
    process.stderr.write(`${message}\n`, () => process.exit(refused ? error.exitCode : 1))
  })

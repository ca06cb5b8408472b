import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { writeClientSecret } from './client-secret.ts'
import { systemClock } from './clock.ts'
import { claimDataFolder, EXIT, folderRefusal, StartRefusedError, type DataFolder } from './data-folder.ts'
import { isCommonPin } from './domain/common-pin.ts'
import { createAuditTrail } from './features/staff/audit.ts'
import { pinKeyOf } from './features/staff/pins.ts'
import { createStaffService } from './features/staff/service.ts'
import { openTerminalDatabase } from './integrity/open-terminal.ts'
import { emptyOptions } from './options.ts'
import { formatProfileErrors, loadProfile } from './profile.ts'
import { restoreDatabase } from './restore.ts'
import { readSealKey } from './seal-key.ts'

const USAGE = `usage: npx node backend/provision.ts set-secret --data FOLDER
       npx node backend/provision.ts set-pin --data FOLDER --profile FILE --staff ID
       npx node backend/provision.ts restore --data FOLDER --from BACKUP

Puts on a lane what must not stand in its profile: the client secret of the token service, or the PIN of a person
(four to eight digits, changed by its owner at the first sign-in). The value is read from standard input, so that it is in no command history and no list of
processes.

restore puts a backup in the place of the database; what it replaces is kept beside the backups.

  MILEPOST_PROVISION_VALUE  the value, from a parent that cannot give standard input; MILEPOST_SEAL_KEY  as for the backend`

/** The installer's door: run while the terminal of this data folder is stopped. */
async function run(): Promise<void> {
  const order = readOrder(process.argv.slice(2))
  if (order === 'help') {
    process.stdout.write(`${USAGE}\n`)
    return
  }
  if (order.command === 'restore') {
    try {
      process.stdout.write(`${restoreDatabase(order.data, order.from, readSealKey(process.env))}\n`)
    } catch (error) {
      throw terminalRuns(order.data, error)
    }
    return
  }
  let folder: DataFolder | null = null
  try {
    folder = claimDataFolder(order.data, readSealKey(process.env), null)
    if (order.command === 'set-secret') {
      writeClientSecret(order.data, await readValue('Client secret: '))
      process.stdout.write('The client secret is on this lane, readable by its owner only.\n')
    } else {
      await setPin(folder, order.profile, order.staff)
      process.stdout.write(`The PIN of ${order.staff} is set.\n`)
    }
  } catch (error) {
    throw terminalRuns(order.data, folderRefusal(order.data, error))
  } finally {
    folder?.release()
  }
}

/** Whoever provisions a lane has no use for another data folder: the terminal that holds this one must be stopped. */
function terminalRuns(folder: string, error: unknown): unknown {
  if (!(error instanceof StartRefusedError) || error.exitCode !== EXIT.folderInUse) return error
  return new StartRefusedError(`The terminal of ${folder} is running. Stop the terminal first: close its window, or stop its service. Then run this again. Nothing was changed.`, EXIT.folderInUse)
}

type Order =
  | { readonly command: 'set-secret'; readonly data: string }
  | { readonly command: 'set-pin'; readonly data: string; readonly profile: string; readonly staff: string }
  | { readonly command: 'restore'; readonly data: string; readonly from: string }

/** Throws StartRefusedError with the usage for anything that cannot be understood. */
function readOrder(argv: readonly string[]): Order | 'help' {
  const refuse = (message: string): never => { throw new StartRefusedError(`${message}\n\n${USAGE}`, EXIT.badArguments) }
  let parsed
  try {
    parsed = parseArgs({ args: [...argv], allowPositionals: true, options: { data: { type: 'string' }, profile: { type: 'string' }, staff: { type: 'string' }, from: { type: 'string' }, help: { type: 'boolean', short: 'h' } } })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
  const { positionals: [command, ...more], values: { data, profile, staff, from, help } } = parsed
  if (help) return 'help'
  if (command !== 'set-secret' && command !== 'set-pin' && command !== 'restore') return refuse('Say what to do: set-secret, set-pin or restore.')
  // It may be a PIN: it is not repeated here.
  if (more.length > 0) return refuse(`${command} takes nothing beside its options. The value is read from standard input.`)
  const [empty] = emptyOptions(parsed.values)
  if (empty !== undefined) return refuse(`--${empty} is given without a value.`)
  if (data === undefined) return refuse('--data FOLDER is missing.')
  if (command === 'set-secret') return { command, data }
  if (command === 'restore') return from === undefined ? refuse('restore needs --from BACKUP.') : { command, data, from }
  if (profile === undefined || staff === undefined) return refuse('set-pin needs --profile FILE and --staff ID.')
  return { command, data, profile, staff }
}

/** Asks for the PIN last, so that nothing is typed in vain. */
async function setPin(folder: DataFolder, profileFile: string, staffId: string): Promise<void> {
  const loaded = loadProfile(profileFile)
  if ('errors' in loaded) throw new StartRefusedError(formatProfileErrors(loaded.errors), EXIT.badArguments)
  if (!loaded.profile.staff.some(({ id }) => id === staffId)) throw new StartRefusedError(`The profile has no ${staffId} under staff; it has ${loaded.profile.staff.map(({ id }) => id).join(', ')}.`, EXIT.badArguments)
  const pin = await readValue('PIN (four to eight digits): ')
  if (!/^\d{4,8}$/.test(pin)) throw new StartRefusedError('A PIN has four to eight digits. Nothing was changed.', EXIT.badArguments)
  if (loaded.profile.mode === 'production' && isCommonPin(pin)) throw new StartRefusedError('This PIN is one of those that are tried first (the same digits, 1234, a date or a year). Choose another. Nothing was changed.', EXIT.badArguments)
  const database = await openTerminalDatabase(folder, systemClock)
  const { db } = database
  try {
    const training = loaded.profile.mode === 'training'
    const staff = createStaffService({ db, clock: systemClock, audit: createAuditTrail({ db, clock: systemClock }), pinKey: pinKeyOf(folder.masterKey), training })
    await staff.sync(loaded.profile)
    await staff.setPin(staffId, pin)
  } finally {
    database.close()
  }
}

/** From the environment, else the first line of standard input. Throws StartRefusedError when there is none. */
async function readValue(question: string): Promise<string> {
  const given = process.env['MILEPOST_PROVISION_VALUE']
  if (given !== undefined) {
    if (given.trim() !== '') return given.trim()
    throw new StartRefusedError('MILEPOST_PROVISION_VALUE is empty. Nothing was changed.', EXIT.badArguments)
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  process.stderr.write(question)
  for await (const line of lines) {
    lines.close()
    if (line.trim() !== '') return line.trim()
    break
  }
  throw new StartRefusedError('Nothing was given on standard input. Nothing was changed.', EXIT.badArguments)
}

// Inside Electron nothing else would end it. `exit` takes the code that stands; what was said is written first.
run().then(() => { process.stdout.write('', () => process.exit()) }).catch((error: unknown) => {
  const refused = error instanceof StartRefusedError
  const message = refused ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  // The message first: whoever started this reads it through a pipe that an exit would cut off on some systems.
  process.stderr.write(`${message}\n`, () => process.exit(refused ? error.exitCode : 1))
})

import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { writeClientSecret } from './client-secret.ts'
import { systemClock } from './clock.ts'
import { claimDataFolder, EXIT, StartRefusedError } from './data-folder.ts'
import { migrate, readMigrations } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { createAuditTrail } from './features/staff/audit.ts'
import { createStaffService } from './features/staff/service.ts'
import { formatProfileErrors, loadProfile } from './profile.ts'
import { restoreDatabase } from './restore.ts'
import { readSealKey } from './seal-key.ts'

const USAGE = `usage: node backend/provision.ts set-secret --data FOLDER
       node backend/provision.ts set-pin --data FOLDER --profile FILE --staff ID
       node backend/provision.ts restore --data FOLDER --from BACKUP

Puts on a lane what must not stand in its profile: the client secret of the token service, or the PIN of a person
(four to eight digits). The value is read from standard input, so that it is in no command history and no list of
processes.

restore puts a backup in the place of the database; what it replaces is kept beside the backups.

  MILEPOST_PROVISION_VALUE  the value, from a parent that cannot give standard input; MILEPOST_SEAL_KEY  as for the backend`

/** The installer's door: run while the terminal of this data folder is stopped. */
async function run(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { data: { type: 'string' }, profile: { type: 'string' }, staff: { type: 'string' }, from: { type: 'string' } } })
  const [command] = positionals
  if (values.data === undefined || positionals.length !== 1 || (command !== 'set-secret' && command !== 'set-pin' && command !== 'restore')) throw new StartRefusedError(USAGE, EXIT.badArguments)
  if (command === 'restore') {
    if (values.from === undefined) throw new StartRefusedError(USAGE, EXIT.badArguments)
    process.stdout.write(`${restoreDatabase(values.data, values.from, readSealKey(process.env))}\n`)
    return
  }
  const folder = claimDataFolder(values.data, readSealKey(process.env), null)
  try {
    if (command === 'set-secret') {
      writeClientSecret(values.data, await readValue('Client secret: '))
      process.stdout.write('The client secret is on this lane, readable by its owner only.\n')
      return
    }
    if (values.profile === undefined || values.staff === undefined) throw new StartRefusedError(USAGE, EXIT.badArguments)
    const loaded = loadProfile(values.profile)
    if ('errors' in loaded) throw new StartRefusedError(formatProfileErrors(loaded.errors), EXIT.badArguments)
    if (!loaded.profile.staff.some(({ id }) => id === values.staff)) throw new StartRefusedError(`The profile has no ${values.staff} under staff; it has ${loaded.profile.staff.map(({ id }) => id).join(', ')}.`, EXIT.badArguments)
    const pin = await readValue('PIN (four to eight digits): ')
    if (!/^\d{4,8}$/.test(pin)) throw new StartRefusedError('A PIN has four to eight digits. Nothing was changed.', EXIT.badArguments)
    const db = openDatabase(folder.database)
    await migrate(db, readMigrations(), folder.backup)
    folder.markDatabase()
    const staff = createStaffService({ db, clock: systemClock, audit: createAuditTrail({ db, clock: systemClock }) })
    await staff.sync(loaded.profile)
    await staff.setPin(values.staff, pin)
    db.close()
    process.stdout.write(`The PIN of ${values.staff} is set.\n`)
  } finally {
    folder.release()
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

run().catch((error: unknown) => {
  const refused = error instanceof StartRefusedError
  const message = refused ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  // The message first: whoever started this reads it through a pipe that an exit would cut off on some systems.
  process.stderr.write(`${message}\n`, () => process.exit(refused ? error.exitCode : 1))
})

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeWhole } from '../delivery/whole-file.ts'
import { makeBundle } from './bundles/make.ts'
import { checkProfile } from './check-profile.ts'
import { DEFAULT_KEYS } from './keys/default-folder.ts'
import { openKeyring } from './keys/keyring.ts'

/** `npm run bundle -- --store FILE`: the signed bundle of one store, to be put on its lanes. */
const root = fileURLToPath(new URL('..', import.meta.url))
const HELP = `npm run bundle -- --store FILE [options]

  --store FILE         the store's profile; catalog, logo and certificates are found beside it
  --keys FOLDER        the installer's keys (${DEFAULT_KEYS})
  --active-from TIME   from when lanes sell by it, 2026-12-01T05:00:00Z (default: their next start)
  --expires TIME       after that it is not put on a lane any more (default: never)
  --sequence NUMBER    must grow with every bundle of the store (default: seconds of the time it is made)
  --made-at TIME       (default: now) the same time and files make the same bytes
  --out FILE           (release/<store id>.bundle)
`

class WrongOption extends Error {}

function timeOf(option: string, value: string | undefined): Date | null {
  if (value === undefined) return null
  const time = new Date(value)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(value) || Number.isNaN(time.getTime()))
    throw new WrongOption(`--${option} needs a time with its zone, as 2026-12-01T05:00:00Z, not "${value}".`)
  return time
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      store: { type: 'string' },
      keys: { type: 'string' },
      'active-from': { type: 'string' },
      expires: { type: 'string' },
      sequence: { type: 'string' },
      'made-at': { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help || !values.store) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const profileFile = path.resolve(values.store)
  const madeAt = timeOf('made-at', values['made-at']) ?? new Date()
  const sequence = Number(values.sequence ?? Math.floor(madeAt.getTime() / 1_000))
  if (!Number.isSafeInteger(sequence) || sequence < 1)
    throw new WrongOption(`--sequence needs a whole number from 1 on, not "${values.sequence}".`)
  const complaint = await checkProfile(profileFile)
  if (complaint !== null) throw new WrongOption(complaint)
  const keyring = openKeyring(
    path.resolve(values.keys ?? DEFAULT_KEYS),
    root,
    process.env['MILEPOST_KEY_PASSPHRASE'] ?? null,
  )
  const { bytes, id, store, lanes } = makeBundle(
    {
      profileFile,
      madeAt,
      sequence,
      activeFrom: timeOf('active-from', values['active-from']),
      expiresAt: timeOf('expires', values.expires),
    },
    keyring,
  )
  const file = path.resolve(values.out ?? path.join(root, 'release', `${store.id}.bundle`))
  mkdirSync(path.dirname(file), { recursive: true })
  writeWhole(file, bytes, 0o644)
  console.log(`Bundle ${id.slice(0, 12)} of store ${store.id} (lanes ${lanes.join(', ')}), number ${sequence}: ${file}`)
  return 0
}

try {
  process.exitCode = await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}

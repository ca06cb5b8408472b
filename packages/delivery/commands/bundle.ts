import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder, writeWhole } from '../whole-file.ts'
import { makeBundle, type BundleInput } from './make-bundle.ts'
import { makeBundles, reportOf } from './many-bundles.ts'
import { checkProfile, startProfileChecker } from './check-profile.ts'
import { errorText, mayBecomeFile, mayBecomeFolder, needFolder, readArgs } from '../../../scripts/command-line.ts'
import { DEFAULT_KEYS, type Keyring, openKeyring, passphraseFromEnvironment } from './keyring.ts'

/** `npm run milepost -- bundle --store FILE` or `--stores FOLDER`: creates signed bundles of stores for their lanes. */
const root = fileURLToPath(new URL('../../..', import.meta.url))
const HELP = `npm run milepost -- bundle --store FILE [options]
npm run milepost -- bundle --stores FOLDER [options]

  --store FILE         the store's profile, in the same folder as its catalog, logo and certificates
  --stores FOLDER      every profile in the folder; broken ones are reported and skipped
  --keys FOLDER        the installer's keys (${DEFAULT_KEYS})
  --active-from TIME   when it becomes active, as 2026-12-01T05:00:00Z (default: between two customers)
  --expires TIME       when lanes stop accepting it (default: never)
  --sequence NUMBER    must increase with every bundle of the store (default: the time in seconds)
  --force              accept a number far above the time: lanes then reject every smaller one
  --made-at TIME       (default: now) the same time and files give the same bytes
  --out PLACE          the file (release/<store id>.bundle), or with --stores the folder (release/bundles)
`

class OptionError extends Error {}

/**
 * Maximum seconds by which a bundle's number may be ahead of this machine's clock. By default the number is the time in
 * seconds; lanes that have a bundle with a far higher number would reject later bundles.
 */
const FAR_SECONDS = 86_400

const isDay = (day: string): boolean => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)

function timeOf(option: string, value: string | undefined): Date | null {
  if (value === undefined) return null
  const time = new Date(value)
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/.exec(value) ?? []
  // The day is checked too, because JavaScript parses 30 February as 2 March.
  if (day === undefined || Number.isNaN(time.getTime()) || !isDay(day))
    throw new OptionError(`--${option} needs a time with its zone, as 2026-12-01T05:00:00Z, not "${value}".`)
  return time
}

async function run(): Promise<number> {
  const { values, help } = readArgs(process.argv.slice(2), {
    texts: 'store stores keys active-from expires sequence made-at out',
    flags: 'force',
  })
  if ((values.store === undefined) === (values.stores === undefined)) {
    process.stdout.write(HELP)
    return help ? 0 : 2
  }
  const madeAt = timeOf('made-at', values['made-at']) ?? new Date()
  const sequence = Number(values.sequence ?? Math.floor(madeAt.getTime() / 1_000))
  if (!/^\d+$/.test(values.sequence ?? '1') || !Number.isSafeInteger(sequence) || sequence < 1)
    throw new OptionError(`--sequence needs a whole number from 1, not "${values.sequence}".`)
  if (sequence > Date.now() / 1_000 + FAR_SECONDS && !values.force)
    throw new OptionError(
      `Number ${sequence} is far above the current time in seconds: lanes would reject every later bundle ` +
        'that is numbered by its time. Omit --sequence (and a wrong --made-at), or add --force.',
    )
  const activeFrom = timeOf('active-from', values['active-from'])
  const expiresAt = timeOf('expires', values.expires)
  if (expiresAt !== null && expiresAt <= (activeFrom ?? madeAt))
    throw new OptionError(
      `--expires ${values.expires} is before the bundle becomes active: every lane would reject it. Give a later time.`,
    )
  const keyring = openKeyring(path.resolve(values.keys ?? DEFAULT_KEYS), root, passphraseFromEnvironment())
  const input = { madeAt, sequence, activeFrom, expiresAt }
  return values.stores === undefined
    ? makeOne(path.resolve(values.store ?? ''), values.out, input, keyring)
    : makeMany(
        path.resolve(values.stores),
        path.resolve(values.out ?? path.join(root, 'release', 'bundles')),
        input,
        keyring,
      )
}

type CommonInput = Omit<BundleInput, 'profileFile'>

async function makeOne(
  profileFile: string,
  out: string | undefined,
  input: CommonInput,
  keyring: Keyring,
): Promise<number> {
  if (out !== undefined) mayBecomeFile(path.resolve(out))
  const complaint = await checkProfile(profileFile)
  if (complaint !== null) throw new OptionError(complaint)
  const { bytes, id, store, lanes } = makeBundle({ ...input, profileFile }, keyring)
  const file = path.resolve(out ?? path.join(root, 'release', `${store.id}.bundle`))
  makeFolder(path.dirname(file))
  writeWhole(file, bytes, 0o644)
  const number = input.sequence
  console.log(`Bundle ${id.slice(0, 12)} of store ${store.id} (lanes ${lanes.join(', ')}), number ${number}: ${file}`)
  return 0
}

async function makeMany(folder: string, out: string, input: CommonInput, keyring: Keyring): Promise<number> {
  needFolder(folder)
  mayBecomeFolder(out)
  const checker = startProfileChecker()
  const startedAt = performance.now()
  const onDone = (done: number, all: number): void => {
    if (!process.stderr.isTTY) return
    const secondsLeft = Math.ceil(((performance.now() - startedAt) / done / 1_000) * (all - done))
    process.stderr.write(`\r${done} of ${all} stores, ${secondsLeft} s left  ${done === all ? '\n' : ''}`)
  }
  try {
    const outcomes = await makeBundles({ folder, out, input, keyring, checker, onDone })
    if (outcomes.length === 0) throw new OptionError(`There is no profile (.yaml) in ${folder}. Check --stores.`)
    for (const one of outcomes) if (one.kind === 'broken') for (const line of one.mistakes) console.error(line)
    const report = path.join(out, 'report.csv')
    writeWhole(report, reportOf(outcomes), 0o644)
    const broken = outcomes.filter(({ kind }) => kind === 'broken').length
    console.log(`${outcomes.length - broken} bundles in ${out}, ${broken} profiles with mistakes; see ${report}.`)
    return broken === 0 ? 0 : 1
  } finally {
    checker.close()
  }
}

try {
  process.exitCode = await run()
} catch (error) {
  console.error(errorText(error, HELP))
  process.exitCode = 2
}

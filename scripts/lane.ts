import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../contracts/i18n/catalogs.ts'
import { FIRST_LOCALE, localeNamed } from '../contracts/i18n/languages.ts'
import type { Locale } from '../contracts/locales.ts'
import type { BundleManifest } from '../delivery/manifest.ts'
import type { Shelf } from '../delivery/shelf.ts'
import { ownTrust } from '../delivery/trust.ts'
import { writeWhole } from '../delivery/whole-file.ts'
import { shelfOf, trustFileOf } from '../electron/lane-profile.ts'
import { folderRefusal } from '../electron/refused.ts'
import { enrolAtLane } from './lane/enrol.ts'
import { laneIdentity } from './lane/identity.ts'

/** `npm run lane -- bundle …`: what an installer does at one lane whose data folder is on this machine. */
const HELP = `npm run lane -- COMMAND --data FOLDER [options]

  bundle put FILE   put the bundle on the lane; a terminal may be running there
  bundle undo       back to the bundle before
  bundle list       which bundles are on the lane
  enrol CODE        exchange the code of the lane's sheet, or what its QR code holds, for its secret and first PINs

  --data FOLDER     the lane's data folder
  --profile FILE    enrol: the store's profile
  --lane ID         enrol: which lane of it (default: the first)
  --service ADDRESS enrol: the service, as on the sheet
  --certificate C   enrol: the server check of the sheet, where it has one
  --trust FILE      the installer's first list of trusted keys, with the first bundle (trust/000001.keys)
  --language CODE   en-CA or fr-CA
`

const translatorOf = (locale: Locale) => createTranslator({ locale, messages: CATALOGS[locale], namespace: 'bundles' })
type Say = ReturnType<typeof translatorOf>

class WrongUse extends Error {}

interface Values {
  readonly data?: string | undefined
  readonly trust?: string | undefined
  readonly language?: string | undefined
  readonly profile?: string | undefined
  readonly lane?: string | undefined
  readonly service?: string | undefined
  readonly certificate?: string | undefined
}

async function run(values: Values, positionals: readonly string[], say: Say): Promise<number> {
  const [what, action, file] = positionals
  if (what === 'enrol') return enrol(values, action)
  if (what !== 'bundle' || values.data === undefined) throw new WrongUse(HELP)
  const data = path.resolve(values.data)
  const given = values.trust === undefined ? null : path.resolve(values.trust)
  const shelf = openShelf(data, given, say)
  switch (action) {
    case 'put':
      return put(shelf, { data, file, given }, say)
    case 'undo': {
      const manifest = shelf.undo()
      console.log(manifest ? say('undone', factsOf(manifest)) : say('nothingBefore'))
      return manifest ? 0 : 1
    }
    case 'list':
      return list(shelf, say)
    default:
      throw new WrongUse(HELP)
  }
}

async function enrol({ data, profile, trust: _trust, ...rest }: Values, code: string | undefined): Promise<number> {
  if (data === undefined || profile === undefined || code === undefined) throw new WrongUse(HELP)
  return enrolAtLane({ ...rest, code, data: path.resolve(data), profile: path.resolve(profile) })
}

/** By the keys that the lane believes; one that believes none yet goes by the list that is given. */
function openShelf(data: string, given: string | null, say: Say): Shelf {
  const own = trustFileOf(data)
  if (given !== null && !(existsSync(given) && statSync(given).isFile())) throw new WrongUse(say('refused.unreadable'))
  if (given !== null && believes(own) && !readFileSync(given).equals(readFileSync(own)))
    throw new WrongUse(say('otherKeys'))
  const shelf = shelfOf(data, given ?? own)
  if (shelf === null) throw new WrongUse(say('noKeys'))
  return shelf
}

const believes = (own: string): boolean => existsSync(own) && ownTrust(readFileSync(own)) !== null

interface What {
  readonly data: string
  readonly file: string | undefined
  readonly given: string | null
}

function put(shelf: Shelf, { data, file, given }: What, say: Say): number {
  if (file === undefined) throw new WrongUse(HELP)
  const done = shelf.put(path.resolve(file), laneIdentity(data), new Date())
  // Only now: a list that believes no bundle of this lane would stay in the way of the right one.
  if (done.kind !== 'refused' && given !== null && !believes(trustFileOf(data)))
    writeWhole(trustFileOf(data), readFileSync(given))
  switch (done.kind) {
    case 'refused':
      console.error(say(`refused.${done.why}`))
      return 1
    case 'there-already':
      console.log(say('thereAlready'))
      return 0
    case 'put':
      console.log(
        done.from === null
          ? say('put', factsOf(done.manifest))
          : say('putFrom', { ...factsOf(done.manifest), from: done.from.toISOString() }),
      )
      return 0
  }
}

function list(shelf: Shelf, say: Say): number {
  const shown = shelf.list()
  if (Object.values(shown).every((manifest) => manifest === null)) console.log(say('none'))
  for (const what of ['current', 'previous', 'waiting'] as const) {
    const manifest = shown[what]
    if (manifest === null) continue
    const facts = { ...factsOf(manifest), what: say(what) }
    console.log(
      manifest.activeFrom === null ? say('line', facts) : say('lineFrom', { ...facts, from: manifest.activeFrom }),
    )
  }
  return 0
}

const factsOf = ({ sequence, store, madeAt }: BundleManifest) => ({
  number: String(sequence),
  store: store.id,
  name: store.name,
  made: madeAt,
})

/** For words where the disk takes nothing. */
let folder: string | null = null
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      trust: { type: 'string' },
      language: { type: 'string' },
      profile: { type: 'string' },
      lane: { type: 'string' },
      service: { type: 'string' },
      certificate: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  folder = values.data ?? null
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (locale === undefined) throw new WrongUse(HELP)
  if (values.help) process.stdout.write(HELP)
  else process.exitCode = await run(values, positionals, translatorOf(locale))
} catch (error) {
  const refusal = folder === null ? error : folderRefusal(folder, error)
  console.error(refusal instanceof Error ? refusal.message : String(refusal))
  process.exitCode = 2
}

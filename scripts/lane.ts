import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../contracts/i18n/catalogs.ts'
import { FIRST_LOCALE, localeNamed } from '../contracts/i18n/languages.ts'
import type { Locale } from '../contracts/locales.ts'
import { BusyError } from '../delivery/lock.ts'
import type { BundleManifest } from '../delivery/manifest.ts'
import { openShelf as shelfBy, type Shelf } from '../delivery/shelf.ts'
import { ownTrust } from '../delivery/trust.ts'
import { writeWhole } from '../delivery/whole-file.ts'
import { shelfOf, trustFileOf } from '../electron/lane-profile.ts'
import { folderRefusal } from '../electron/refused.ts'
import { languageTyped, MistypedError, readArgs } from './command-line.ts'
import { laneIdentity } from './lane/identity.ts'
import { profileMistakes } from './lane/profile-mistakes.ts'

/** `npm run lane -- bundle …`: what an installer does at one lane whose data folder is on this machine. */
const HELP = `npm run lane -- COMMAND --data FOLDER [options]

  bundle put FILE   put the bundle on the lane; a terminal may be running there
  bundle undo       back to the bundle before
  bundle list       which bundles are on the lane

  --data FOLDER     the lane's data folder
  --trust PLACE     the installer's lists of trusted keys (the folder "trust" of their keys, or its 000001.keys): with
                    the first bundle, and where the lane does not know a newer key
  --language CODE   en-CA or fr-CA
`

const translatorOf = (locale: Locale) => createTranslator({ locale, messages: CATALOGS[locale], namespace: 'bundles' })
type Say = ReturnType<typeof translatorOf>

class WrongUse extends Error {}

interface Values {
  readonly data?: string | undefined
  readonly trust?: string | undefined
  readonly language?: string | undefined
}

interface Command {
  readonly data: string
  readonly file: string | undefined
  /** Lists of trusted keys that were given, the first first. */
  readonly lists: readonly Buffer[]
  readonly locale: Locale
  readonly say: Say
}

function run(values: Values, positionals: readonly string[], locale: Locale): number {
  const [what, action, file, more] = positionals
  if (what !== 'bundle' || values.data === undefined || more !== undefined) throw new WrongUse(HELP)
  const data = path.resolve(values.data)
  const say = translatorOf(locale)
  const lists = values.trust === undefined ? [] : listsIn(path.resolve(values.trust), say)
  const command = { data, file, lists, locale, say }
  const shelf = openShelf(command)
  switch (action) {
    case 'put':
      return put(shelf, command)
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

/** A file, or all lists of a folder in the order of their numbers. */
function listsIn(place: string, say: Say): Buffer[] {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found?.isFile()) return [readFileSync(place)]
  const names = found?.isDirectory() ? readdirSync(place).filter((name) => /^\d{6}\.keys$/.test(name)) : []
  if (names.length === 0) throw new WrongUse(say('refused.unreadable'))
  return names.toSorted().map((name) => readFileSync(path.join(place, name)))
}

/** By the keys that the lane believes; one that believes none yet goes by the first list that is given. */
function openShelf({ data, lists, say }: Command): Shelf {
  const own = trustFileOf(data)
  const [first] = lists
  if (first !== undefined && !believes(own)) {
    const trust = ownTrust(first)
    if (trust === null) throw new WrongUse(say('noList'))
    return shelfBy(data, trust)
  }
  const shelf = shelfOf(data, own)
  if (shelf === null) throw new WrongUse(say('noKeys'))
  return shelf
}

const believes = (own: string): boolean => existsSync(own) && ownTrust(readFileSync(own)) !== null

function put(shelf: Shelf, { data, file, lists, locale, say }: Command): number {
  if (file === undefined) throw new WrongUse(HELP)
  const own = trustFileOf(data)
  const [first] = lists
  const isKnown = believes(own)
  if (isKnown && first !== undefined) {
    if (shelf.learn(lists)) console.log(say('keysTaken'))
    else if (!first.equals(readFileSync(own))) throw new WrongUse(say('otherKeys'))
  }
  const done = shelf.put(path.resolve(file), laneIdentity(data), new Date(), {
    mistakesOf: (profileFile) => profileMistakes(profileFile, locale),
    newer: isKnown ? [] : lists.slice(1),
  })
  // Only now: a list that believes no bundle of this lane would stay in the way of the right one.
  const isTaken = done.kind === 'put' || done.kind === 'there-already'
  if (isTaken && first !== undefined && !isKnown) writeWhole(own, first)
  switch (done.kind) {
    case 'refused':
      console.error(say(`refused.${done.why}`))
      return 1
    case 'mistakes':
      console.error([say('mistakes'), ...done.mistakes].join('\n'))
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
  const { notice, ...shown } = shelf.list()
  if (Object.values(shown).every((manifest) => manifest === null)) console.log(say('none'))
  for (const what of ['current', 'previous', 'waiting'] as const) {
    const manifest = shown[what]
    if (manifest === null) continue
    const facts = { ...factsOf(manifest), what: say(what) }
    console.log(
      manifest.activeFrom === null ? say('line', facts) : say('lineFrom', { ...facts, from: manifest.activeFrom }),
    )
  }
  if (notice === null) return 0
  console.log(
    [say(`notice.${notice.kind}`, { number: String(notice.number), at: notice.at }), ...notice.words].join('\n'),
  )
  return 0
}

const factsOf = ({ sequence, store, madeAt }: BundleManifest) => ({
  number: String(sequence),
  store: store.id,
  name: store.name,
  made: madeAt,
})

/** For words where the disk takes nothing, and of what was typed. */
let folder: string | null = null
const language = languageTyped()
try {
  const { values, positionals } = readArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      trust: { type: 'string' },
      language: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  folder = values.data ?? null
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (locale === undefined) throw new WrongUse(HELP)
  if (values.help) process.stdout.write(HELP)
  else process.exitCode = run(values, positionals, locale)
} catch (error) {
  process.exitCode = 2
  if (error instanceof MistypedError) console.error(`${error.messages[language]}\n\n${HELP}`)
  else if (error instanceof BusyError) console.error(translatorOf(language)('busy'))
  else {
    const refusal = folder === null ? error : folderRefusal(folder, error)
    console.error(refusal instanceof Error ? refusal.message : String(refusal))
  }
}

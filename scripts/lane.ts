import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { FIRST_LOCALE, localeNamed } from '../contracts/i18n/languages.ts'
import type { Locale } from '../contracts/locales.ts'
import { platformIn } from '../delivery/updates/place.ts'
import { openSlots } from '../delivery/updates/slots.ts'
import { SlotName } from '../delivery/updates/slots-state.ts'
import { shelfOf, trustFileOf } from '../electron/lane-profile.ts'
import { folderRefusal } from '../electron/refused.ts'
import { keepGivenKeys, orderOnShelf, shelfByGivenKeys, type GivenKeys } from '../launcher/bundle-orders.ts'
import { laneIdentity } from '../launcher/lane-identity.ts'
import { orderUpdate } from '../launcher/update-orders.ts'
import { bundleWordsOf, updateWordsOf } from '../launcher/words.ts'

/** `npm run lane -- bundle …`, `update …`: what an installer does at one lane whose data folder is on this machine. */
const HELP = `npm run lane -- COMMAND --data FOLDER [options]

  bundle put FILE   put the bundle on the lane; a terminal may be running there
  bundle undo       back to the bundle before
  bundle list       which bundles are on the lane
  update status     which program runs, which one waits, and what became of the last
  update check      look for a new version: by the terminal that runs there, else at --from
  update now        try what waits at the next start, or between two customers
  update tonight    try it after closing
  update back       back to the version before

  --data FOLDER     the lane's data folder
  --program ROOT    with update: the installed program’s folder, in which slots lies
  --from ADDRESS    with update check: where updates are published
  --trust FILE      the installer's first list of trusted keys, with the first bundle (trust/000001.keys)
  --language CODE   en-CA or fr-CA
`

class WrongUse extends Error {}

interface Values {
  readonly data?: string | undefined
  readonly trust?: string | undefined
  readonly program?: string | undefined
  readonly from?: string | undefined
  readonly language?: string | undefined
}

async function run(values: Values, [what, action, file]: readonly string[], locale: Locale): Promise<number> {
  if (values.data === undefined) throw new WrongUse(HELP)
  const dataFolder = path.resolve(values.data)
  const keys = { dataFolder, list: values.trust === undefined ? null : path.resolve(values.trust) }
  const say = bundleWordsOf(locale)
  const order = { action, file, identity: () => laneIdentity(dataFolder), onTaken: () => keepGivenKeys(keys) }
  const code =
    what === 'bundle'
      ? orderOnShelf(shelfByGivenKeys(keys, say), order, say)
      : what === 'update' && values.program !== undefined
        ? await update({ root: path.resolve(values.program), keys, from: values.from ?? null }, action, locale)
        : null
  if (code === null) throw new WrongUse(HELP)
  return code
}

interface Installed {
  readonly root: string
  readonly keys: GivenKeys
  readonly from: string | null
}

async function update({ root, keys, from }: Installed, action: string | undefined, locale: Locale) {
  const say = updateWordsOf(locale)
  const { dataFolder, list } = keys
  const shelf = shelfOf(
    dataFolder,
    list ?? firstThatStands(path.join(root, 'store', 'trust.keys'), trustFileOf(dataFolder)),
  )
  if (shelf === null) throw new WrongUse(say('noKeys'))
  const platform = SlotName.options
    .map((slot) => platformIn(path.join(root, 'slots', slot)))
    .find((each) => each !== null)
  if (platform === undefined || platform === null) throw new WrongUse(say('noProgram', { folder: root }))
  const now = (): Date => new Date()
  const slots = openSlots({ root, platform, trust: shelf.trust, now })
  const { store, lane } = laneIdentity(dataFolder) ?? { store: '', lane: '' }
  return orderUpdate({ slots, dataFolder, lane: { store, lane }, from, now }, action, say)
}

const firstThatStands = (file: string, other: string): string => (existsSync(file) ? file : other)

/** For words where the disk takes nothing. */
let folder: string | null = null
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      trust: { type: 'string' },
      program: { type: 'string' },
      from: { type: 'string' },
      language: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  folder = values.data ?? null
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (locale === undefined) throw new WrongUse(HELP)
  if (values.help) process.stdout.write(HELP)
  else process.exitCode = await run(values, positionals, locale)
} catch (error) {
  const refusal = folder === null ? error : folderRefusal(folder, error)
  console.error(refusal instanceof Error ? refusal.message : String(refusal))
  process.exitCode = 2
}

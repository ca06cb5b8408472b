import path from 'node:path'
import { parseArgs } from 'node:util'
import { FIRST_LOCALE, localeNamed } from '../contracts/i18n/languages.ts'
import { folderRefusal } from '../electron/refused.ts'
import { keepGivenKeys, orderOnShelf, shelfByGivenKeys } from '../launcher/bundle-orders.ts'
import { laneIdentity } from '../launcher/lane-identity.ts'
import { bundleWordsOf, type SayOfBundles } from '../launcher/words.ts'

/** `npm run lane -- bundle …`: what an installer does at one lane whose data folder is on this machine. */
const HELP = `npm run lane -- COMMAND --data FOLDER [options]

  bundle put FILE   put the bundle on the lane; a terminal may be running there
  bundle undo       back to the bundle before
  bundle list       which bundles are on the lane

  --data FOLDER     the lane's data folder
  --trust FILE      the installer's first list of trusted keys, with the first bundle (trust/000001.keys)
  --language CODE   en-CA or fr-CA
`

class WrongUse extends Error {}

interface Values {
  readonly data?: string | undefined
  readonly trust?: string | undefined
  readonly language?: string | undefined
}

function run(values: Values, positionals: readonly string[], say: SayOfBundles): number {
  const [what, action, file] = positionals
  if (what !== 'bundle' || values.data === undefined) throw new WrongUse(HELP)
  const dataFolder = path.resolve(values.data)
  const keys = { dataFolder, list: values.trust === undefined ? null : path.resolve(values.trust) }
  const order = { action, file, identity: () => laneIdentity(dataFolder), onTaken: () => keepGivenKeys(keys) }
  const code = orderOnShelf(shelfByGivenKeys(keys, say), order, say)
  if (code === null) throw new WrongUse(HELP)
  return code
}

/** For words where the disk takes nothing. */
let folder: string | null = null
try {
  const { values, positionals } = parseArgs({
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
  else process.exitCode = run(values, positionals, bundleWordsOf(locale))
} catch (error) {
  const refusal = folder === null ? error : folderRefusal(folder, error)
  console.error(refusal instanceof Error ? refusal.message : String(refusal))
  process.exitCode = 2
}

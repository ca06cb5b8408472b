import { existsSync } from 'node:fs'
import path from 'node:path'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { languageTyped } from '../../../contracts/core/command-line.ts'
import { FIRST_LOCALE, localeNamed } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { trustFileOf } from '../stored-bundles.ts'
import { setProxy } from '../outgoing.ts'
import { platformIn } from '../updates/program-files.ts'
import { openSlots } from '../updates/slots.ts'
import { SlotName } from '../updates/slots-state.ts'
import { proxyOfLane, bundleStoreOf } from '../../supervisor/lane-profile.ts'
import { folderRefusal, refusalLine } from '../../supervisor/terminal-refused.ts'
import {
  hasTrustList,
  saveGivenKeys,
  addGivenKeys,
  listsIn,
  runBundleSubcommand,
  bundleStoreWithKeys,
  type BundleSubcommand,
  type GivenKeys,
} from '../../supervisor/launcher/bundle-subcommands.ts'
import { laneIdentity } from '../../supervisor/launcher/command-line.ts'
import { runUpdateSubcommand } from '../../supervisor/launcher/update-subcommands.ts'
import { bundleTranslator, updateTranslator } from '../../supervisor/launcher/translators.ts'
import { MistypedError, readArgs } from '../../../scripts/command-line.ts'
import { autostartOfLane, checkLane, enrolAtLane, findTrace, metricsOfLane, profileMistakes } from './lane-commands.ts'

/** `npm run milepost -- lane …`: CLI commands of an installer for a lane whose data folder is on this machine. */
const HELP = `npm run milepost -- lane COMMAND --data FOLDER [options]

  bundle put FILE   store a bundle on the lane; the terminal may be running
  bundle cancel N   remove the waiting bundle of this number
  bundle undo       restore the previous bundle
  bundle list       list the bundles on the lane
  update status     the running version, the waiting one, and the last result
  update check      check for a new version: by the running terminal, else at --from
  update now        try the waiting version at the next start or between two customers
  update tonight    try it after closing
  update back       restore the previous version
  doctor            check the whole lane, running or not; changes nothing [--profile, --lane, --json]
  autostart install start the lane with its user’s session [--profile, --lane, --kiosk; --entry: a desktop entry]
  autostart remove, autostart show
  metrics on        create the token that reads the lane’s metrics; metrics off, metrics status
  trace RECEIPT     the calls of a receipt that moved miles, with their traces [--json]; also trace TRACE
  enrol             ask for the code of the lane's sheet, and get its secret and first PINs
                    [--profile, --lane, --service ADDRESS, --certificate CHECK]

  --data FOLDER     the lane's data folder
  --program ROOT    with update: the installed program’s folder, which contains slots
  --from ADDRESS    with update check: the address of the updates
  --trust PLACE     the installer's lists of trusted keys (the folder "trust" of their keys, or its 000001.keys): needed
                    with the first bundle, and if the lane does not know a newer key
  --language CODE   en-CA or fr-CA
`

class UsageError extends Error {}

const readLaneArgs = (args: readonly string[]) =>
  readArgs(args, { texts: 'data trust program from language', words: true })
type Values = ReturnType<typeof readLaneArgs>['values']

async function run(values: Values, [what, ...args]: readonly string[], locale: Locale): Promise<number> {
  if (values.data === undefined || args.length > 2) throw new UsageError(HELP)
  const dataFolder = path.resolve(values.data)
  const translate = bundleTranslator(locale)
  const lists = values.trust === undefined ? [] : listsIn(path.resolve(values.trust), translate)
  const code =
    what === 'bundle'
      ? bundleSubcommand({ dataFolder, lists }, args, locale)
      : what === 'update' && values.program !== undefined
        ? await updateSubcommand({ ...values, program: values.program }, dataFolder, args[0], locale)
        : null
  if (code === null) throw new UsageError(HELP)
  return code
}

function bundleSubcommand(keys: GivenKeys, [action, file]: readonly string[], locale: Locale): number | null {
  const translate = bundleTranslator(locale)
  const isKnown = hasTrustList(trustFileOf(keys.dataFolder))
  const bundleStore = bundleStoreWithKeys(keys, translate)
  if (action === 'put') addGivenKeys(bundleStore, keys, translate)
  const subcommand: BundleSubcommand = {
    action,
    file,
    identity: () => laneIdentity(keys.dataFolder),
    put: {
      mistakesOf: (profileFile) => profileMistakes(profileFile, locale),
      newer: isKnown ? [] : keys.lists.slice(1),
    },
    onAccepted: () => saveGivenKeys(keys),
  }
  return runBundleSubcommand(bundleStore, subcommand, translate)
}

type Installed = Values & { readonly program: string }

async function updateSubcommand(values: Installed, dataFolder: string, action: string | undefined, locale: Locale) {
  const { from = null, trust } = values
  const root = path.resolve(values.program)
  const translate = updateTranslator(locale)
  const list =
    trust === undefined
      ? firstExisting(path.join(root, 'store', 'trust.keys'), trustFileOf(dataFolder))
      : path.resolve(trust)
  const bundleStore = bundleStoreOf(dataFolder, list)
  if (bundleStore === null) throw new UsageError(translate('noKeys'))
  const platform = SlotName.options
    .map((slot) => platformIn(path.join(root, 'slots', slot)))
    .find((each) => each !== null)
  if (platform === undefined || platform === null) throw new UsageError(translate('noProgram', { folder: root }))
  const now = (): Date => new Date()
  await setProxy(proxyOfLane({ dataFolder, trustFile: list }))
  const slots = openSlots({ root, platform, trust: bundleStore.trust, now })
  const { store, lane } = laneIdentity(dataFolder) ?? { store: '', lane: '' }
  return runUpdateSubcommand({ slots, dataFolder, lane: { store, lane }, from, now }, action, translate)
}

const firstExisting = (file: string, other: string): string => (existsSync(file) ? file : other)

let folder: string | null = null
const [command, ...rest] = process.argv.slice(2)
const language = languageTyped(process.argv)
try {
  if (command === 'doctor') process.exitCode = await checkLane(rest)
  else if (command === 'enrol') process.exitCode = orUsage(await enrolAtLane(rest))
  else if (command === 'autostart') process.exitCode = orUsage(autostartOfLane(rest))
  else if (command === 'metrics') process.exitCode = orUsage(metricsOfLane(rest))
  else if (command === 'trace') process.exitCode = await findTrace(rest)
  else await onLane()
} catch (error) {
  process.exitCode = 2
  if (error instanceof MistypedError) console.error(`${error.messages[language]}\n\n${HELP}`)
  else {
    const refusal = folder === null ? error : folderRefusal(folder, error)
    console.error(refusalLine(refusal, CATALOGS[language].starting))
  }
}

function orUsage(code: number | null): number {
  if (code === null) throw new UsageError(HELP)
  return code
}

async function onLane(): Promise<void> {
  const { values, words, help } = readLaneArgs(process.argv.slice(2))
  folder = values.data ?? null
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (locale === undefined) throw new UsageError(HELP)
  if (help) process.stdout.write(HELP)
  else process.exitCode = await run(values, words, locale)
}

import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { languageTyped } from '../../../contracts/core/command-line.ts'
import { FIRST_LOCALE, localeNamed } from '../../../contracts/i18n/languages.ts'
import { LocalizedError } from '../../../contracts/core/refusal.ts'
import { trustedIn } from '../trust.ts'
import { Platform, Version } from '../updates/formats.ts'
import { ReleaseFolderBusy, ReleaseFolderDistrusted } from '../updates/release-folder.ts'
import { errorText, readArgs } from '../../../scripts/command-line.ts'
import { DEFAULT_KEYS, openKeyring, passphraseFromEnvironment } from './keyring.ts'
import { publishVersion, readNotes } from './updates/publish.ts'
import { UpdatesRefusal, type Translate, commandLine, printStatus, translatorOf } from './updates/status.ts'
import { applyChannelAction, type ChannelActionOptions, type ChannelAction } from './updates/channel-actions.ts'

/**
 * `npm run milepost -- updates COMMAND`: publishes versions of the Milepost program and controls which lanes get them.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url))
const HELP = `npm run milepost -- updates COMMAND --out FOLDER [options]

  publish              a new version; lanes get it with its first wave
  wave V PERCENT       offer version V to this percentage of lanes
  halt V               stop offering V; resume V offers it again
  stable V             offer V to every lane
  renew                sign the channel again before it expires
  status               published versions and reports of lanes

  --out FOLDER         the folder that a web server serves
  --keys FOLDER        the installer's keys (${DEFAULT_KEYS})
  --language CODE      en-CA or fr-CA

  publish: --program PLATFORM=FOLDER   a whole program, once for each platform
           --version V                 three numbers, as 1.5.0
           --notes FILE                YAML with a text under en-CA and fr-CA, one line per point
           --schema N                  its database schema, if it cannot be detected
           --reads-back N              the oldest database schema that it can migrate (1)
           --stable                    for the first version of a folder: offer it to every lane
  status:  --database URL              the database of the store server with the reports
`

const { values, words, help } = readArguments()
type Values = typeof values

function readArguments() {
  try {
    return readArgs(process.argv.slice(2), {
      texts: 'out keys language version notes schema reads-back database',
      flags: 'stable',
      lists: 'program',
      words: true,
    })
  } catch (error) {
    console.error(errorText(error, HELP, languageTyped(process.argv)))
    process.exit(2)
  }
}

async function run(translate: Translate, now: Date): Promise<number> {
  const [command = '', version, share] = words
  const out = path.resolve(needed('--out', values.out))
  const keyring = openKeyring(path.resolve(values.keys ?? DEFAULT_KEYS), root, passphraseFromEnvironment())
  const trusted = keyring.trust === null ? { keys: [], revoked: [] } : trustedIn(keyring.trust)
  if (command === 'status')
    return await printStatus(out, { trusted, now, database: values.database ?? null }, translate)
  const steering: ChannelActionOptions = { trusted, now, signer: keyring.signer() }
  if (command === 'publish') await printPublished(out, steering, translate)
  else printSteered(out, actionOf(command, version, share), steering, translate)
  return 0
}

async function printPublished(out: string, steering: ChannelActionOptions, translate: Translate): Promise<void> {
  const version = versionOf(needed('--version', values.version))
  const done = await publishVersion(out, {
    ...steering,
    version,
    programs: programsOf(values.program),
    notes: readNotes(path.resolve(needed('--notes', values.notes))),
    schema: values.schema === undefined ? null : numberOf('--schema', values.schema),
    readsBack: numberOf('--reads-back', values['reads-back'] ?? '1'),
    stable: values.stable,
    onFile: process.stderr.isTTY
      ? (files, of) => process.stderr.write(files === of ? '\r\u001B[K' : `\r${files}/${of}`)
      : () => undefined,
  })
  if (done.kind === 'there-already') {
    console.log(translate('publishedAlready', { version }))
    return
  }
  const megabytes = String(Math.max(1, Math.round(done.maxBytes / 1_000_000)))
  console.log(translate('published', { version, files: String(done.files), fresh: String(done.fresh), megabytes }))
  if (done.channel.stable === version) console.log(translate('isStable'))
  else console.log(`${translate('nobodyYet')}\n${commandLine(out, 'wave', version, '5')}`)
  printExpiry(done.channel, translate)
}

function printSteered(out: string, action: ChannelAction, steering: ChannelActionOptions, translate: Translate): void {
  const { channel, before, unchanged } = applyChannelAction(out, action, steering)
  if (unchanged) {
    console.log(translate('unchanged'))
    return
  }
  switch (action.kind) {
    case 'wave':
      console.log(translate('wave', { version: action.version, percent: String(action.percent) }))
      if (action.percent < (before?.wavePercent ?? 0)) console.log(translate('waveLess'))
      break
    case 'halt':
      console.log(translate('halted', { version: action.version }))
      if (channel.stable === action.version) console.log(translate('haltedStable'))
      break
    case 'resume':
      console.log(translate('resumed', { version: action.version, percent: String(before?.wavePercent ?? 0) }))
      break
    case 'stable':
      console.log(translate('stable', { version: action.version }))
      break
    case 'renew':
      console.log(translate('renewed'))
  }
  printExpiry(channel, translate)
}

const printExpiry = (
  { sequence, expiresAt }: { readonly sequence: number; readonly expiresAt: string },
  translate: Translate,
) => {
  console.log(translate('until', { sequence: String(sequence), expires: expiresAt }))
}

function actionOf(command: string, version: string | undefined, share: string | undefined): ChannelAction {
  switch (command) {
    case 'wave':
      return { kind: 'wave', version: versionOf(needed('V', version)), percent: percentOf(needed('PERCENT', share)) }
    case 'halt':
    case 'resume':
    case 'stable':
      return { kind: command, version: versionOf(needed('V', version)) }
    case 'renew':
      return { kind: 'renew' }
    default:
      throw new UpdatesRefusal('command-unknown', { given: command })
  }
}

function needed(option: string, value: string | undefined): string {
  if (value === undefined || value.trim() === '') throw new UpdatesRefusal('option-missing', { option })
  return value
}

function versionOf(given: string): string {
  const { success, data } = Version.safeParse(given)
  if (!success) throw new UpdatesRefusal('version-form', { given })
  return data
}

function percentOf(given: string): number {
  const percent = Number(given.replace(',', '.').replace(/\s*%$/, ''))
  // Checks the percentage of a wave, which may be in steps of 0.01 %.
  const isShare =
    /\d/.test(given) && percent >= 0 && percent <= 100 && Number.isInteger(Math.round(percent * 1e6) / 1e4)
  if (!isShare) throw new UpdatesRefusal('percent-form', { given })
  return percent
}

function numberOf(option: string, given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new UpdatesRefusal('number-form', { option, given })
  return Number(given)
}

function programsOf(given: Values['program']): ReadonlyMap<Platform, string> {
  if (given.length === 0) throw new UpdatesRefusal('option-missing', { option: '--program' })
  const programs = new Map<Platform, string>()
  for (const one of given) {
    const [, name, folder] = /^([^=]+)=(.+)$/.exec(one) ?? []
    const platform = Platform.safeParse(name)
    if (!platform.success || folder === undefined)
      throw new UpdatesRefusal('program-form', { given: one, platforms: Platform.options.join(', ') })
    if (programs.has(platform.data)) throw new UpdatesRefusal('platform-twice', { platform: platform.data })
    programs.set(platform.data, path.resolve(folder))
  }
  return programs
}

const CHANNEL_CODES = {
  unsigned: 'channel-unsigned',
  changed: 'channel-changed',
  'key-unknown': 'channel-key',
  'key-revoked': 'channel-revoked',
  damaged: 'channel-damaged',
  'too-large': 'channel-damaged',
  expired: 'channel-damaged',
  older: 'channel-damaged',
} as const

function messageOf(error: unknown, translate: Translate): string {
  const folder = values.out ?? ''
  if (error instanceof UpdatesRefusal) return translate(`refused.${error.code}`, error.facts)
  if (error instanceof ReleaseFolderBusy) return translate('refused.busy', { folder })
  if (error instanceof ReleaseFolderDistrusted) return translate(`refused.${CHANNEL_CODES[error.why]}`, { folder })
  if (error instanceof LocalizedError) return error.messages[locale ?? FIRST_LOCALE]
  return error instanceof Error ? error.message : String(error)
}

const language = values.language ?? FIRST_LOCALE
const locale = localeNamed(language)
const translate = translatorOf(locale ?? FIRST_LOCALE)
try {
  if (words.length === 0) {
    process.stdout.write(HELP)
    process.exitCode = help ? 0 : 2
  } else if (locale === undefined) throw new UpdatesRefusal('language', { given: language })
  else process.exitCode = await run(translate, new Date())
} catch (error) {
  console.error(messageOf(error, translate))
  process.exitCode = 2
}

import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { languageTyped } from '../../../contracts/core/command-line.ts'
import { FIRST_LOCALE, localeNamed } from '../../../contracts/i18n/languages.ts'
import { LocalizedError } from '../../../contracts/core/refusal.ts'
import { trustedIn } from '../trust.ts'
import { Platform, Version } from '../updates/formats.ts'
import { ReleaseFolderBusy, ReleaseFolderDistrusted } from '../updates/release-folder.ts'
import { complaintOf, readArgs } from '../../../scripts/command-line.ts'
import { DEFAULT_KEYS, openKeyring, passphraseGiven } from './keyring.ts'
import { publish, readNotes } from './updates/publish.ts'
import { PublishRefusal, type Say, commandLine, tellStatus, translatorOf } from './updates/status.ts'
import { steer, type Steering, type Wish } from './updates/steer.ts'

/** `npm run milepost -- updates COMMAND`: publishes versions of the program, and says which lanes take them. */
const root = fileURLToPath(new URL('../../..', import.meta.url))
const HELP = `npm run milepost -- updates COMMAND --out FOLDER [options]

  publish              a new version; no lane takes it before its first wave
  wave V PERCENT       give version V to so many of a hundred lanes
  halt V               no lane takes V any more; resume V takes that back
  stable V             every lane takes V
  renew                sign the channel anew before it expires
  status               what is published, and what lanes reported

  --out FOLDER         the folder that a web server serves
  --keys FOLDER        the installer's keys (${DEFAULT_KEYS})
  --language CODE      en-CA or fr-CA

  publish: --program PLATFORM=FOLDER   a whole program, once for each platform
           --version V                 three numbers, as 1.5.0
           --notes FILE                YAML with a text under en-CA and under fr-CA, a line a point
           --schema N                  its database schema, where the program does not show it
           --reads-back N              the oldest database schema that it brings up (1)
           --stable                    for the first version of a folder: every lane takes it
  status:  --database URL              of the store server that took the reports
`

const { values, words, help } = readArguments()
type Values = typeof values

/** Ends in words where they cannot be understood. */
function readArguments() {
  try {
    return readArgs(process.argv.slice(2), {
      texts: 'out keys language version notes schema reads-back database',
      flags: 'stable',
      lists: 'program',
      words: true,
    })
  } catch (error) {
    console.error(complaintOf(error, HELP, languageTyped(process.argv)))
    process.exit(2)
  }
}

async function run(say: Say, now: Date): Promise<number> {
  const [command = '', version, share] = words
  const out = path.resolve(needed('--out', values.out))
  const keyring = openKeyring(path.resolve(values.keys ?? DEFAULT_KEYS), root, passphraseGiven())
  const trusted = keyring.trust === null ? { keys: [], revoked: [] } : trustedIn(keyring.trust)
  if (command === 'status') return await tellStatus(out, { trusted, now, database: values.database ?? null }, say)
  const steering: Steering = { trusted, now, signer: keyring.signer() }
  if (command === 'publish') await tellPublished(out, steering, say)
  else tellSteered(out, wishOf(command, version, share), steering, say)
  return 0
}

async function tellPublished(out: string, steering: Steering, say: Say): Promise<void> {
  const version = versionOf(needed('--version', values.version))
  const done = await publish(out, {
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
    console.log(say('publishedAlready', { version }))
    return
  }
  const megabytes = String(Math.max(1, Math.round(done.mostBytes / 1_000_000)))
  console.log(say('published', { version, files: String(done.files), fresh: String(done.fresh), megabytes }))
  if (done.channel.stable === version) console.log(say('isStable'))
  else console.log(`${say('nobodyYet')}\n${commandLine(out, 'wave', version, '5')}`)
  tellUntil(done.channel, say)
}

function tellSteered(out: string, wish: Wish, steering: Steering, say: Say): void {
  const { channel, before, unchanged } = steer(out, wish, steering)
  if (unchanged) {
    console.log(say('unchanged'))
    return
  }
  switch (wish.kind) {
    case 'wave':
      console.log(say('wave', { version: wish.version, percent: String(wish.percent) }))
      if (wish.percent < (before?.wavePercent ?? 0)) console.log(say('waveLess'))
      break
    case 'halt':
      console.log(say('halted', { version: wish.version }))
      if (channel.stable === wish.version) console.log(say('haltedStable'))
      break
    case 'resume':
      console.log(say('resumed', { version: wish.version, percent: String(before?.wavePercent ?? 0) }))
      break
    case 'stable':
      console.log(say('stable', { version: wish.version }))
      break
    case 'renew':
      console.log(say('renewed'))
  }
  tellUntil(channel, say)
}

const tellUntil = ({ sequence, expiresAt }: { readonly sequence: number; readonly expiresAt: string }, say: Say) => {
  console.log(say('until', { sequence: String(sequence), expires: expiresAt }))
}

function wishOf(command: string, version: string | undefined, share: string | undefined): Wish {
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
      throw new PublishRefusal('command-unknown', { given: command })
  }
}

function needed(option: string, value: string | undefined): string {
  if (value === undefined || value.trim() === '') throw new PublishRefusal('option-missing', { option })
  return value
}

function versionOf(given: string): string {
  const { success, data } = Version.safeParse(given)
  if (!success) throw new PublishRefusal('version-form', { given })
  return data
}

function percentOf(given: string): number {
  const percent = Number(given.replace(',', '.').replace(/\s*%$/, ''))
  // Hundredths are the finest that a wave tells apart.
  const isShare =
    /\d/.test(given) && percent >= 0 && percent <= 100 && Number.isInteger(Math.round(percent * 1e6) / 1e4)
  if (!isShare) throw new PublishRefusal('percent-form', { given })
  return percent
}

function numberOf(option: string, given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new PublishRefusal('number-form', { option, given })
  return Number(given)
}

function programsOf(given: Values['program']): ReadonlyMap<Platform, string> {
  if (given.length === 0) throw new PublishRefusal('option-missing', { option: '--program' })
  const programs = new Map<Platform, string>()
  for (const one of given) {
    const [, name, folder] = /^([^=]+)=(.+)$/.exec(one) ?? []
    const platform = Platform.safeParse(name)
    if (!platform.success || folder === undefined)
      throw new PublishRefusal('program-form', { given: one, platforms: Platform.options.join(', ') })
    if (programs.has(platform.data)) throw new PublishRefusal('platform-twice', { platform: platform.data })
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

/** In words for the installer; what is none of theirs stays what it is. */
function wordsOf(error: unknown, say: Say): string {
  const folder = values.out ?? ''
  if (error instanceof PublishRefusal) return say(`refused.${error.code}`, error.facts)
  if (error instanceof ReleaseFolderBusy) return say('refused.busy', { folder })
  if (error instanceof ReleaseFolderDistrusted) return say(`refused.${CHANNEL_CODES[error.why]}`, { folder })
  if (error instanceof LocalizedError) return error.messages[locale ?? FIRST_LOCALE]
  return error instanceof Error ? error.message : String(error)
}

const language = values.language ?? FIRST_LOCALE
const locale = localeNamed(language)
const say = translatorOf(locale ?? FIRST_LOCALE)
try {
  if (words.length === 0) {
    process.stdout.write(HELP)
    process.exitCode = help ? 0 : 2
  } else if (locale === undefined) throw new PublishRefusal('language', { given: language })
  else process.exitCode = await run(say, new Date())
} catch (error) {
  console.error(wordsOf(error, say))
  process.exitCode = 2
}

import '../../core/program/engine-settings.ts'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import type english from '../../../contracts/i18n/en-CA/installer.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { laneMarkOf, ownerOf } from '../../../packages/delivery/identity.ts'
import { requestedLanguage, refusalText, translate } from '../../core/i18n.ts'
import { readClientSecret } from '../../core/central/client-secret.ts'
import { systemClock } from '../../core/clock.ts'
import { EXIT, folderRefusal, StartRefusedError } from '../../core/program/data-folder.ts'
import { readMigrations, readSchema, whyTooNew } from '../../core/db/migrate.ts'
import { heldValues } from './log-lines.ts'
import { makeSupportFile, type MadeFile } from './make-file.ts'
import { supportFileName } from './support.ts'
import { readInstallerCommand } from '../../core/program/options.ts'
import { programVersion } from '../../core/program/process.ts'
import { readSealKey } from '../../core/integrity/seal.ts'

/*
 * `npm run milepost support`: makes the support file of a lane from its data folder, whether its terminal runs or not.
 * Writes nothing but that file.
 */
type Texts = ReturnType<typeof textsOf>
const NAMELESS = { file: '', folder: '', section: '' }

function textsOf(locale: Locale) {
  const t = translate(locale)
  return (key: keyof typeof english.supportFile, values: Partial<typeof NAMELESS> = {}): string =>
    t(`installer.supportFile.${key}`, { ...NAMELESS, ...values })
}

interface Options {
  readonly data: string
  readonly out: string | null
}

/** Parses the options. Throws StartRefusedError with the usage for invalid ones. */
function readOptions(argv: readonly string[]): { readonly options: Options | 'help'; readonly t: Texts } {
  const usageIn = (locale: Locale): string => textsOf(locale)('usage')
  const { values, help, locale } = readInstallerCommand(argv, { texts: 'data out language' }, usageIn)
  const t = textsOf(locale)
  if (help) return { options: 'help', t }
  const { data, out } = values
  if (data === undefined) throw new StartRefusedError(`${t('noData')}\n\n${t('usage')}`, EXIT.badArguments)
  return { options: { data: resolve(data), out: out === undefined ? null : resolve(out) }, t }
}

/**
 * Returns the secrets of the lane. Throws StartRefusedError when only the key store has them, so that this process
 * cannot search for them.
 */
function secretsOf(folder: string, t: Texts): (string | Uint8Array)[] {
  const [key, clientSecret] = [readSealKey(process.env), readClientSecret(folder, process.env)]
  const isSealed = (sealed: string): boolean => existsSync(join(folder, sealed))
  const isKeySealed = key === null && isSealed('seal-key.sealed') && !existsSync(join(folder, 'seal.key'))
  if (isKeySealed || (clientSecret === null && isSealed('client-secret.sealed')))
    throw new StartRefusedError(t('keyAway'), EXIT.badArguments)
  return [key, clientSecret].filter((one) => one !== null)
}

/** Returns the owner in the sentinel; a sentinel that was changed gets its own error, not one about permissions. */
function markedOwner(folder: string, t: Texts): ReturnType<typeof ownerOf> {
  try {
    return ownerOf(folder)
  } catch {
    throw new StartRefusedError(t('refusedShape', { section: basename(laneMarkOf(folder)) }), EXIT.dataMissing)
  }
}

async function make(folder: string, t: Texts): Promise<MadeFile> {
  const database = join(folder, 'terminal.db')
  if (!existsSync(database)) throw new StartRefusedError(t('noDatabase', { folder }), EXIT.badArguments)
  const secrets = secretsOf(folder, t)
  const db = new Sqlite(database, { readonly: true, fileMustExist: true })
  try {
    const found = readSchema(db)
    const known = readMigrations().length
    if (found.schema < known || whyTooNew(found, known) !== null)
      throw new StartRefusedError(t('otherVersion'), EXIT.badArguments)
    return await makeSupportFile({
      folder: { dataFolder: folder, db, now: systemClock.now() },
      version: programVersion(),
      owner: markedOwner(folder, t),
      running: null,
      held: heldValues({ dataFolder: folder, environment: process.env, db, secrets }),
    })
  } finally {
    db.close()
  }
}

function write(file: string, bytes: Uint8Array, t: Texts): void {
  try {
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isThere) rmSync(file, { force: true })
    throw new StartRefusedError(t(isThere ? 'exists' : 'cannotWrite', { file }), EXIT.badArguments)
  }
}

async function run(): Promise<void> {
  const { options, t } = readOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(`${t('usage')}\n`)
    return
  }
  const made = await make(options.data, t).catch((error: unknown) => {
    throw folderRefusal(options.data, error)
  })
  if (made.kind === 'refused')
    throw new StartRefusedError(
      t(made.why === 'secret' ? 'refusedSecret' : 'refusedShape', { section: made.section }),
      EXIT.dataMissing,
    )
  const { program, madeAt } = made.file
  const file = options.out ?? resolve(supportFileName(program, madeAt.slice(0, 'YYYY-MM-DD'.length)))
  if (existsSync(file)) throw new StartRefusedError(t('exists', { file }), EXIT.badArguments)
  write(file, made.bytes, t)
  process.stdout.write(`${t('saved', { file })}\n`)
}

// Inside Electron the process would not end by itself, so it exits here after its output is written.
run()
  .then(() => {
    process.stdout.write('', () => process.exit())
  })
  .catch((error: unknown) => {
    const refused = error instanceof StartRefusedError
    // Another error's message may contain data of the lane, so a general one is printed.
    const locale = requestedLanguage(process.argv)
    const message = refused ? refusalText(error, locale) : textsOf(locale)('failed')
    process.stderr.write(`${message}\n`, () => process.exit(refused ? error.exitCode : 1))
  })

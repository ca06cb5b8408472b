import { writeSync } from 'node:fs'
import path from 'node:path'
import { languageTyped } from '../../contracts/core/command-line.ts'
import { writeEnding } from '../../contracts/core/program.ts'
import { logLine, LOG_TEXTS } from '../../contracts/core/log-fields.ts'
import { LocalizedError } from '../../contracts/core/refusal.ts'
import { startStoreServer, type StoreServer } from './app.ts'
import { addAuthority, createAuthority, readAuthority, renewIfDue, renewNow } from './certificate/authority.ts'
import { endOf, fingerprintOf, makeFolder, ownCertificate, readCertificate } from './certificate/files.ts'
import { watchCertificate } from './certificate/watch.ts'
import {
  readOptions,
  USAGE,
  type CertificateCommand,
  type MigrateCommand,
  type RebuildCommand,
  type ArchiveCommand,
  type ServeCommand,
  type QuarantineCommand,
  type ChangesCommand,
  type VouchersCommand,
} from './options.ts'
import { DEFAULT_LIMITS, type StoreSettings } from './context.ts'
import { openDatabase } from './database.ts'
import { importFile } from './file-import.ts'
import { createLog, minuteOf, ofSystem, programVersion, translatorOf } from './log.ts'
import { createStoreCounts } from './metrics/counts.ts'
import { runMetricsSubcommand } from './metrics/metrics.routes.ts'
import { readProofKey, readSealKey } from './lanes/key-files.ts'
import { PROJECTIONS } from './projections.ts'
import { runArchive } from './lanes/archive.ts'
import { runChanges } from './changes/command.ts'
import { runRebuild } from './lanes/rebuild.ts'
import { readUpdateKeys } from './updates.ts'
import { runQuarantine } from './lanes/unread.ts'
import { runVouchers } from './vouchers/command.ts'

/** Language of messages for people; the log is always English. */
const locale = languageTyped(process.argv)
const translate = translatorOf(locale)
const messageOf = (error: unknown): string =>
  error instanceof LocalizedError ? error.messages[locale] : error instanceof Error ? error.message : String(error)

async function run(): Promise<void> {
  let command: ReturnType<typeof readOptions>
  try {
    command = readOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}`)
    process.exitCode = 2
    return
  }
  if (command === 'help') {
    process.stdout.write(USAGE)
    return
  }
  if (command.command === 'migrate') return await migrateTables(command)
  if (command.command === 'rebuild' || command.command === 'archive') return await moveFacts(command)
  if (command.command === 'vouchers' || command.command === 'aside' || command.command === 'changes')
    return await runOwnerCommand(command)
  try {
    if (command.command === 'metrics') return runMetricsSubcommand(command, locale)
    makeFolder(command.data)
    await (command.command === 'certificate' ? makeCertificate(command) : serve(command))
  } catch (error) {
    throw ofSystem(error, command)
  }
}

async function makeCertificate({ data, names, years, renews }: CertificateCommand): Promise<void> {
  const { certificate: file } = ownCertificate(data)
  if (renews) {
    const until = await renewNow(data, names, new Date())
    process.stdout.write(`${translate('renewed', { file, until: minuteOf(until) })}\n`)
    return
  }
  const authority = await createAuthority(data, names, new Date(), years)
  process.stdout.write(`${file}\n${translate('fingerprint', { fingerprint: fingerprintOf(authority.certificate) })}\n`)
}

/**
 * Maximum wait for the database at the start of the server, long enough if the machine starts both at the same time.
 */
const START_TIMEOUT_MS = 60_000

async function migrateTables({ database, logLevel }: MigrateCommand): Promise<void> {
  const postgres = await openDatabase(database, { log: createLog(logLevel) })
  process.stdout.write(`${translate('migrated', { place: postgres.place })}\n`)
  await postgres.close()
}

async function moveFacts(command: RebuildCommand | ArchiveCommand): Promise<void> {
  const postgres = await openDatabase(command.database, { log: createLog(command.logLevel) })
  const write = (line: string): void => void process.stdout.write(line)
  try {
    await (command.command === 'rebuild'
      ? runRebuild(postgres, write, locale)
      : runArchive(postgres, command.months, write, locale))
  } finally {
    await postgres.close()
  }
}

async function runOwnerCommand(command: QuarantineCommand | ChangesCommand | VouchersCommand): Promise<void> {
  const postgres = await openDatabase(command.database, { log: createLog(command.logLevel) })
  try {
    const output =
      command.command === 'aside'
        ? runQuarantine(postgres, command.action, locale)
        : command.command === 'changes'
          ? runChanges(postgres, command.action, locale)
          : runVouchers(postgres, command.action, locale)
    process.stdout.write(await output)
  } finally {
    await postgres.close()
  }
}

async function serve(command: ServeCommand): Promise<void> {
  const { data, certificate, key, exitWithStdin, enrolment, updates, host, port, logLevel } = command
  const given = certificate !== null && key !== null ? { certificate, key } : null
  if (given === null) {
    await addAuthority(data, new Date())
    await renewIfDue(data, new Date())
  }
  const files = given ?? ownCertificate(data)
  const shown = readCertificate(files, new Date())
  const authority = given === null ? (readAuthority(data)?.certificate ?? null) : null
  const keys = updates && readUpdateKeys(updates.keys, process.env['MILEPOST_KEY_PASSPHRASE'] || null)
  const counts = createStoreCounts()
  const log = createLog(logLevel, { counts: counts.log, lost: () => counts.dropped('log-lines') })
  const db = await openDatabase(command.database, { log, onQuery: counts.onQuery, waitMs: START_TIMEOUT_MS })
  const ends = { server: endOf(shown.certificate), authority: authority === null ? null : endOf(authority) }
  const begin = async (): Promise<StoreServer> => {
    await importFile(data, db, log)
    const settings: StoreSettings = {
      folder: data,
      version: programVersion(),
      enrolment,
      updates: updates && keys && { folder: path.resolve(updates.folder), keys, tokens: updates.tokens },
      proofKey: await readProofKey(data, db),
      sealKey: await readSealKey(data, db),
      authority,
      ends,
      ...DEFAULT_LIMITS,
    }
    const ctx = { db, log, counts, now: Date.now, projections: PROJECTIONS, settings }
    return await startStoreServer(ctx, shown, { host, port })
  }
  const server = await begin().catch(async (error: unknown) => {
    await db.close()
    throw error
  })
  const stopWatching = watchCertificate({
    files,
    renew: given === null ? () => renewIfDue(data, new Date()) : null,
    shown,
    log,
    onChange(next) {
      server.show(next)
      ends.server = endOf(next.certificate)
    },
  })
  let stopping = false
  const stop = (): void => {
    if (stopping) return
    stopping = true
    stopWatching()
    // Exit after ten seconds even with open connections, because the database is consistent at any moment.
    setTimeout(() => process.exit(1), 10_000).unref()
    server
      .close()
      .then(() => db.close())
      .then(() => process.exit(0))
      .catch((error: unknown) => {
        process.stderr.write(`${logLine('fatal', LOG_TEXTS.unclean, new Date(), { reason: String(error) })}\n`)
        process.exit(1)
      })
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (exitWithStdin) {
    process.once(
      'exit',
      writeEnding((line) => writeSync(process.stdout.fd, line)),
    )
    process.stdin.on('end', stop).on('error', stop).resume()
  }
  process.stdout.write(`${JSON.stringify({ url: server.url, fingerprint: server.fingerprint })}\n`)
}

run().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exit(1)
})

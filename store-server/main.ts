import { existsSync, writeFileSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { sayEnding } from '../contracts/ending.ts'
import { logLine, LOG_TEXTS } from '../contracts/log-line.ts'
import { storageTrouble } from '../contracts/storage-trouble.ts'
import { startStoreServer } from './app.ts'
import { fingerprintOf, makeFolder, ownCertificate, readCertificate } from './certificate/files.ts'
import { makeSelfSigned } from './certificate/self-signed.ts'
import { readOptions, USAGE, type CertificateCommand, type ServeCommand } from './options.ts'
import { createSqliteRepository } from './enrolment/sqlite-repository.ts'
import { openDatabase } from './db/open.ts'
import { deviceOf, enrolment as enrolmentFeature } from './enrolment/feature.ts'
import type { Feature } from './http/server.ts'
import { updates as updatesFeature } from './updates/feature.ts'
import { readUpdateKeys } from './updates/keys.ts'

async function run(): Promise<void> {
  let command: ReturnType<typeof readOptions>
  try {
    command = readOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exitCode = 2
    return
  }
  if (command === 'help') {
    process.stdout.write(USAGE)
    return
  }
  try {
    makeFolder(command.data)
    await (command.command === 'certificate' ? makeCertificate(command) : serve(command))
  } catch (error) {
    const trouble = storageTrouble(command.data, error)
    throw trouble === null ? error : new Error(trouble.message, { cause: error })
  }
}

/** Never over one that is there: the sheets that carry its fingerprint would be worth nothing. */
async function makeCertificate({ data, names, years }: CertificateCommand): Promise<void> {
  const files = ownCertificate(data)
  for (const file of [files.certificate, files.key])
    if (existsSync(file)) throw new Error(`${file} is there already. Move it away first; print new sheets afterwards.`)
  const { certificate, key } = await makeSelfSigned(names, new Date(), years)
  writeFileSync(files.key, key, { mode: 0o600, flush: true })
  writeFileSync(files.certificate, certificate, { mode: 0o644, flush: true })
  process.stdout.write(`${files.certificate}\nSHA-256 fingerprint: ${fingerprintOf(certificate)}\n`)
}

async function serve(command: ServeCommand): Promise<void> {
  const { data, certificate, key, exitWithStdin, enrolment, updates, ...where } = command
  const files = certificate !== null && key !== null ? { certificate, key } : ownCertificate(data)
  const shown = readCertificate(files, new Date())
  if (!enrolment && updates === null) throw new Error('Say what this server is for: --enrolment, --updates FOLDER')
  const keys = updates && readUpdateKeys(updates.keys, process.env['MILEPOST_KEY_PASSPHRASE'] || null)
  const db = openDatabase(data)
  const repository = createSqliteRepository(db)
  const features: Feature[] = [
    ...(enrolment ? [enrolmentFeature({ repository })] : []),
    ...(updates && keys
      ? [
          updatesFeature({
            db,
            data,
            folder: resolve(updates.folder),
            keys,
            now: () => new Date(),
            ...(updates.tokens ? { identify: (request) => deviceOf(request, repository) } : {}),
          }),
        ]
      : []),
  ]
  const server = await startStoreServer({ ...where, certificate: shown, features }).catch((error: unknown) => {
    db.close()
    throw error
  })
  let stopping = false
  const stop = (): void => {
    if (stopping) return
    stopping = true
    // Whatever still holds on after this long is not worth waiting for: the database is safe at any moment.
    setTimeout(() => process.exit(1), 10_000).unref()
    server
      .close()
      .then(() => {
        db.close()
        process.exit(0)
      })
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
      sayEnding((line) => writeSync(process.stdout.fd, line)),
    )
    process.stdin.on('end', stop).on('error', stop).resume()
  }
  process.stdout.write(`${JSON.stringify({ url: server.url, fingerprint: server.fingerprint })}\n`)
}

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})

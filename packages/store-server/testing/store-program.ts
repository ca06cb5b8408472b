import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { readCommandLine } from '../../../contracts/core/command-line.ts'
import { startStoreServer, type StoreServer } from '../app.ts'
import { makeScrapeToken } from '../../delivery/metrics-registry.ts'
import { addAuthority, readAuthority, renewIfDue } from '../certificate/authority.ts'
import { endOf, ownCertificate, readPair, writeCertificate } from '../certificate/files.ts'
import { makeSelfSigned } from '../certificate/self-signed.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres, type Postgres } from '../db/postgres.ts'
import { readProofKey, readSealKey } from '../lanes/key-files.ts'
import { createLog } from '../log.ts'
import { createStoreCounts } from '../metrics/counts.ts'
import { backUp, restore } from './backup.ts'
import { NO_POSTGRES, type StartedPostgres, findPostgres, startPostgres } from '../db/start-postgres.ts'
import { ALL_TABLES } from '../database.ts'
import { contextOf } from './context.ts'
import { enrolDevice } from './lanes.ts'

/**
 * Program with a store server and its own PostgreSQL, for tests of lanes: `node store-program.ts --lane 01 --lane 02`.
 * Prints its address and the token and key of each lane in one line, then answers each line of standard input with one
 * line. Ends with standard input. Lanes are enrolled without enrolment codes.
 */
const REQUESTS: Readonly<Record<string, (running: Running, rest: string) => Promise<unknown>>> = {
  'kill-postgres': async ({ cluster }) => cluster.kill(),
  'restart-postgres': async ({ cluster }) => cluster.restart(),
  'back-up': async ({ cluster, backup }) => backUp(cluster, DATABASE, backup),
  restore: async ({ cluster, backup }) => restore(cluster, DATABASE, backup),
  scrape: async ({ folder }) => makeScrapeToken(folder),
  query: async ({ postgres }, text) => (await postgres.query(text)).rows,
  replace: async ({ enrol }, lane) => enrol(lane),
  'renew-certificate': async ({ folder, server }) => {
    if (!(await renewIfDue(folder, new Date()))) throw new Error('the certificate was not renewed')
    server.show(readPair(ownCertificate(folder)))
  },
}

const DATABASE = 'postgres'
/** Age of the certificate, which expires in a month, so that its renewal is due. */
const AGE_MS = 335 * 24 * 3_600_000
const AUTHORITY_AGE_MS = 40 * 24 * 3_600_000

interface Running {
  readonly folder: string
  readonly backup: string
  readonly server: StoreServer
  readonly cluster: StartedPostgres
  readonly postgres: Postgres
  readonly enrol: (lane: string) => Promise<unknown>
}

const print = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function run(lanes: readonly string[], store: string, port: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-store-'))
  const cluster = await startPostgres({ fsync: false })
  const counts = createStoreCounts()
  const log = createLog('info', { counts: counts.log, lost: () => counts.dropped('log-lines') })
  const postgres = openPostgres({ url: cluster.url(DATABASE), log, onQuery: counts.onQuery })
  await migrate(postgres, ALL_TABLES)
  const proofKey = await readProofKey(folder, postgres)
  const enrol = (lane: string) => enrolDevice(postgres, store, lane)
  const credentials = new Map<string, Awaited<ReturnType<typeof enrol>>>()
  for (const lane of lanes) credentials.set(lane, await enrol(lane))
  const certificate = await makeSelfSigned(['localhost', '127.0.0.1'], new Date(Date.now() - AGE_MS), 1)
  writeCertificate(ownCertificate(folder), certificate)
  await addAuthority(folder, new Date(Date.now() - AUTHORITY_AGE_MS))
  const settings = {
    folder,
    proofKey,
    sealKey: await readSealKey(folder, postgres),
    authority: readAuthority(folder)?.certificate ?? null,
    ends: { server: endOf(certificate.certificate), authority: null },
    checkEveryMs: 1_000,
  }
  const ctx = contextOf(postgres, { log, counts, settings })
  const server = await startStoreServer(ctx, certificate, { host: '127.0.0.1', port })
  print({
    url: server.url,
    ca: certificate.certificate,
    lanes: Object.fromEntries(credentials),
  })
  const running: Running = { folder, server, cluster, postgres, backup: path.join(folder, 'backup'), enrol }
  for await (const line of createInterface({ input: process.stdin })) {
    const [name = '', ...rest] = line.split(' ')
    const answer = REQUESTS[name]?.(running, rest.join(' '))
    print(await answer?.then((done) => done ?? null).catch((error: unknown) => ({ error: String(error) })))
  }
  await server.close()
  await postgres.close()
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}

const { values } = readCommandLine(process.argv.slice(2), {
  texts: 'store',
  lists: 'lane',
  numbers: { port: [0, 65_535] },
})
if (findPostgres() === null) print({ missing: NO_POSTGRES })
else await run(values.lane.length === 0 ? ['01'] : values.lane, values.store ?? 'TRAIN-001', values.port ?? 0)

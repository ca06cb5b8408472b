import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, type TestContext } from 'vitest'
import { z } from 'zod'
import { type RunningProcess, start } from '../rig/process.ts'
import type { StorePlace } from '../../../backend/store/channel.ts'

const Credentials = z.object({ token: z.string(), key: z.object({ privateKey: z.string(), publicKey: z.string() }) })
const Ready = z.object({ url: z.url(), ca: z.string(), lanes: z.record(z.string(), Credentials) })
const Missing = z.object({ missing: z.string() })
const LogLine = z.looseObject({ level: z.int(), msg: z.string() })
const PROGRAM = join(import.meta.dirname, '../../store-server/testing/store-program.ts')

export interface TestStore {
  /** Returns the address of the store server for this lane. Skips the test if there is no PostgreSQL. */
  place(skip: TestContext['skip'], lane?: string): StorePlace
  query(sql: string): Promise<unknown>
  /** Enrols another machine as this lane and revokes the old token. Returns the address for the new machine. */
  replace(lane: string): Promise<StorePlace>
  scrapeToken(): Promise<string>
  tokens(): readonly string[]
  log(): readonly Readonly<Record<string, unknown>>[]
  /**
   * Signs a new certificate of the store server with the store’s authority, as the server does before the old one
   * expires.
   */
  renewCertificate(): Promise<void>
  killPostgres(): Promise<void>
  restartPostgres(): Promise<void>
  backUp(): Promise<void>
  /**
   * Restores the last copy of the database that `backUp` made, so that everything pushed since is lost. The store
   * server keeps running.
   */
  restoreBackup(): Promise<void>
  /** Stops the store server’s process (`SIGSTOP`): it sends no response and closes no connection. */
  freeze(): void
  thaw(): void
}

/**
 * A store server on a real PostgreSQL in a process of its own, shared by the tests of a file. Each test uses lanes that
 * no other test uses.
 */
export function useStore(...lanes: readonly string[]): TestStore {
  let program: RunningProcess<unknown> | undefined
  let ready: z.infer<typeof Ready> | null = null
  let missing = 'the store server was not started'
  const log: Record<string, unknown>[] = []
  function onLine(line: string): void {
    const parsedLine = LogLine.safeParse(parsed(line))
    if (parsedLine.success) log.push(parsedLine.data)
    else process.stderr.write(`${line}\n`)
  }

  beforeAll(async () => {
    const args = lanes.flatMap((lane) => ['--lane', lane])
    program = await start([PROGRAM, ...args])
    createInterface({ input: program.child.stderr }).on('line', onLine)
    const none = Missing.safeParse(program.ready)
    if (none.success) missing = none.data.missing
    else ready = Ready.parse(program.ready)
  }, 60_000)
  afterAll(async () => {
    program?.child.kill('SIGCONT')
    await program?.end()
  })

  async function ask(request: string): Promise<unknown> {
    if (ready === null || !program) throw new Error(missing)
    return program.ask(request)
  }
  return {
    place(skip, lane = '01') {
      skip(ready === null, missing)
      const credentials = ready?.lanes[lane]
      if (!ready || credentials === undefined) throw new Error(`\`lane ${lane} was not named to useStore\``)
      return { url: ready.url, ca: ready.ca, ...credentials }
    },
    query: (sql) => ask(`query ${sql.replaceAll('\n', ' ')}`),
    async replace(lane) {
      if (ready === null) throw new Error(missing)
      return { url: ready.url, ca: ready.ca, ...Credentials.parse(await ask(`replace ${lane}`)) }
    },
    scrapeToken: async () => String(await ask('scrape')),
    tokens: () => Object.values(ready?.lanes ?? {}).map(({ token }) => token),
    log: () => log,
    renewCertificate: async () => void (await ask('renew-certificate')),
    killPostgres: async () => void (await ask('kill-postgres')),
    restartPostgres: async () => void (await ask('restart-postgres')),
    backUp: async () => void (await ask('back-up')),
    restoreBackup: async () => void (await ask('restore')),
    freeze: () => void program?.child.kill('SIGSTOP'),
    thaw: () => void program?.child.kill('SIGCONT'),
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

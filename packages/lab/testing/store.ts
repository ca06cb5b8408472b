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

export interface StoreOfTests {
  /** Where the store is for this lane. Skips the test where there is no PostgreSQL. */
  place(skip: TestContext['skip'], lane?: string): StorePlace
  /** What a query of the store's database answers. */
  query(sql: string): Promise<unknown>
  /** Enrols another machine under the number of a lane, whose token ends. Answers where the store is for it. */
  replace(lane: string): Promise<StorePlace>
  /** Lets somebody scrape the server, by the token that it answers. */
  scrapeToken(): Promise<string>
  /** The tokens of all its lanes. */
  tokens(): readonly string[]
  /** Lines of the server's log so far. */
  log(): readonly Readonly<Record<string, unknown>>[]
  /** Signs the server's certificate by the authority of the store, as a server does before the end of the first. */
  renewCertificate(): Promise<void>
  killPostgres(): Promise<void>
  restartPostgres(): Promise<void>
  /** Copies the database into a file, as its owner does every night. */
  backUp(): Promise<void>
  /** Puts that back: whatever was told since is gone. The server runs on meanwhile. */
  restoreBackup(): Promise<void>
  /** Stops the server where it stands; nothing is answered any more, and no connection is closed. */
  freeze(): void
  thaw(): void
}

/**
 * A real store server on a real PostgreSQL for the lanes of this file's tests, in a process of its own. All tests of
 * the file share it: each takes lanes that no other has.
 */
export function useStore(...lanes: readonly string[]): StoreOfTests {
  let program: RunningProcess<unknown> | undefined
  let ready: z.infer<typeof Ready> | null = null
  let missing = 'the store server was not started'
  const log: Record<string, unknown>[] = []
  /** What is no line of the log is shown. */
  function hear(line: string): void {
    const said = LogLine.safeParse(parsed(line))
    if (said.success) log.push(said.data)
    else process.stderr.write(`${line}\n`)
  }

  beforeAll(async () => {
    const args = lanes.flatMap((lane) => ['--lane', lane])
    program = await start([PROGRAM, ...args])
    createInterface({ input: program.child.stderr }).on('line', hear)
    const none = Missing.safeParse(program.ready)
    if (none.success) missing = none.data.missing
    else ready = Ready.parse(program.ready)
  }, 60_000)
  afterAll(async () => {
    program?.child.kill('SIGCONT')
    await program?.end()
  })

  async function ask(command: string): Promise<unknown> {
    if (ready === null || !program) throw new Error(missing)
    return program.ask(command)
  }
  return {
    place(skip, lane = '01') {
      skip(ready === null, missing)
      const credentials = ready?.lanes[lane]
      if (!ready || credentials === undefined) throw new Error(`lane ${lane} was not named to useStore`)
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

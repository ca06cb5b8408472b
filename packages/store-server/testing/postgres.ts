import pg from 'pg'
import { afterAll, beforeAll, onTestFinished, type TestContext } from 'vitest'
import { openDatabase } from '../database.ts'
import {
  NO_POSTGRES,
  type StartPostgresOptions,
  type StartedPostgres,
  findPostgres,
  startPostgres,
} from '../db/start-postgres.ts'
import type { Postgres } from '../db/postgres.ts'
import { createLog } from '../log.ts'

export interface PostgresOfTests {
  /** The server itself, to be killed or restarted. Throws where there is none. */
  server(): StartedPostgres
  /** A fresh database, of this name where one is given: its address. Skips the test where there is no PostgreSQL. */
  database(skip: TestContext['skip'], name?: string): Promise<string>
  /** Opens a database, a fresh one where none is given, with all tables; it is closed with the test. */
  open(skip: TestContext['skip'], url?: string): Promise<Postgres>
}

/**
 * A real PostgreSQL for the tests of this file, started once, a second or two, and ended with them. Called at the top
 * of the file; see startPostgres for what it can be told.
 */
export function usePostgres(options: Omit<StartPostgresOptions, 'folder'> = {}): PostgresOfTests {
  const isThere = findPostgres() !== null
  let started: StartedPostgres | undefined
  let made = 0
  beforeAll(async () => {
    if (isThere) started = await startPostgres(options)
  })
  afterAll(() => started?.stop())

  function server(): StartedPostgres {
    if (started === undefined) throw new Error('PostgreSQL was not started')
    return started
  }
  async function database(skip: TestContext['skip'], name = `test_${(made += 1)}`): Promise<string> {
    skip(!isThere, NO_POSTGRES)
    const client = new pg.Client(server().url('postgres'))
    await client.connect()
    await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)
    await client.end()
    return server().url(name)
  }
  return {
    server,
    database,
    async open(skip, url) {
      const postgres = await openDatabase(url ?? (await database(skip)), { log: createLog('error') })
      onTestFinished(() => postgres.close())
      return postgres
    },
  }
}

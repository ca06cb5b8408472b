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
  server(): StartedPostgres
  database(skip: TestContext['skip'], name?: string): Promise<string>
  open(skip: TestContext['skip'], url?: string): Promise<Postgres>
}

/**
 * Starts a real PostgreSQL once for the tests of a file, in a second or two. Call at the top of the file; options:
 * startPostgres.
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

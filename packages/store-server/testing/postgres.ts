import pg from 'pg'
import { afterAll, beforeAll, type TestContext } from 'vitest'
import {
  NO_POSTGRES,
  type StartPostgresOptions,
  type StartedPostgres,
  findPostgres,
  startPostgres,
} from '../db/start-postgres.ts'

export interface PostgresOfTests {
  /** The server itself, to be killed or restarted. Throws where there is none. */
  server(): StartedPostgres
  /** A fresh database, of this name where one is given: its address. Skips the test where there is no PostgreSQL. */
  database(skip: TestContext['skip'], name?: string): Promise<string>
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
  return {
    server,
    async database(skip, name = `test_${(made += 1)}`) {
      skip(!isThere, NO_POSTGRES)
      const client = new pg.Client(server().url('postgres'))
      await client.connect()
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)
      await client.end()
      return server().url(name)
    },
  }
}

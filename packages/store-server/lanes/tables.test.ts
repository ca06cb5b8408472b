import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { awaitedLanes, detectRestore } from './awaited.ts'
import { LANES_TABLES } from './lanes.ts'

const postgres = usePostgres({ fsync: false })

test('a store of the previous release gets its mode from its lanes, and waits for no lane after the update', async ({
  skip,
}) => {
  const database = openPostgres({ url: await postgres.database(skip), log: createLog('silent') })
  onTestFinished(() => database.close())
  await migrate(database, [ENROLMENT_TABLES, { ...LANES_TABLES, scripts: LANES_TABLES.scripts.slice(0, 2) }])
  await database.query(`INSERT INTO lane (store, lane, health) VALUES
    ('BOTH', '01', '{"mode": "training"}'), ('BOTH', '02', '{"mode": "production"}'), ('BOTH', '03', NULL),
    ('TRAINS', '01', '{"mode": "training"}'), ('SILENT', '01', NULL)`)
  await database.query("INSERT INTO stream (name, store, lane, epoch) VALUES (repeat('a', 32), 'BOTH', '01', 1)")
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES])
  expect((await database.query('SELECT store, mode, lane FROM store_mode ORDER BY store')).rows).toEqual([
    { store: 'BOTH', mode: 'production', lane: '02' },
    { store: 'TRAINS', mode: 'training', lane: '01' },
  ])
  await detectRestore(database)
  expect(await awaitedLanes(database, 'BOTH')).toEqual([])
})

test('a store whose database was restored and then updated, before a server checked it, waits for its lanes', async ({
  skip,
}) => {
  const database = openPostgres({ url: await postgres.database(skip), log: createLog('silent') })
  onTestFinished(() => database.close())
  await migrate(database, [ENROLMENT_TABLES, { ...LANES_TABLES, scripts: LANES_TABLES.scripts.slice(0, 2) }])
  await database.query("INSERT INTO lane (store, lane) VALUES ('STORE', '01')")
  await database.query("INSERT INTO stream (name, store, lane, epoch) VALUES (repeat('a', 32), 'STORE', '01', 1)")
  await database.query("UPDATE database_identity SET identity = 'of the lost one'")
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES])
  await detectRestore(database)
  expect(await awaitedLanes(database, 'STORE')).toEqual(['01'])
})

import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CATALOG_FILE_PATHS } from '../../../contracts/store/catalog-files.ts'
import { STORE_PROTOCOL, type Fact } from '../../../contracts/store/protocol.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { LANES_TABLES } from '../lanes/lanes.ts'
import { createLog } from '../log.ts'
import { contextOf, openRoutes } from '../testing/context.ts'
import { usePostgres } from '../testing/postgres.ts'
import { catalogRoutes, CATALOG_PROJECTION, CATALOG_TABLES } from './catalog.ts'

const postgres = usePostgres({ fsync: false })
type Skip = Parameters<typeof postgres.database>[0]

function makeFile(count: number, bytes = 2_000) {
  const chunks = Array.from({ length: count }, () => randomBytes(bytes))
  const all = Buffer.concat(chunks)
  const about = { hash: createHash('sha256').update(all).digest('hex'), bytes: all.byteLength, parts: count }
  return { chunks: chunks.map((chunk) => chunk.toString('base64')), about }
}

async function start(skip: Skip) {
  const url = await postgres.database(skip)
  const databases = [1, 2].map(() => openPostgres({ url, log: createLog('silent') }))
  const [database] = databases
  if (!database) throw new Error('there is no database')
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES, CATALOG_TABLES])
  const apps = await Promise.all(
    databases.map((on) =>
      openRoutes(contextOf(on), [catalogRoutes], ({ headers }) => {
        const lane = headers.authorization ?? ''
        return { store: lane === '03' ? 'OTHER' : 'STORE', lane }
      }),
    ),
  )
  onTestFinished(async () => {
    for (const app of apps) await app.close()
    for (const on of databases) await on.close()
  })
  const call = async (lane: string, path: keyof typeof CATALOG_FILE_PATHS, body: object, server = 0) => {
    const answer = await apps[server]?.inject({
      method: 'POST',
      url: CATALOG_FILE_PATHS[path],
      headers: { authorization: lane },
      payload: { protocol: STORE_PROTOCOL, ...body },
    })
    return { status: answer?.statusCode, body: answer?.json<Record<string, unknown>>() }
  }
  const send = (lane: string, { about, chunks }: ReturnType<typeof makeFile>, number: number, server = 0) =>
    call(lane, 'chunk', { hash: about.hash, number, chunk: chunks[number - 1] }, server)
  const bring = async (lane: string, file: ReturnType<typeof makeFile>) => {
    await call(lane, 'offer', file.about)
    for (const index of file.chunks.keys()) await send(lane, file, index + 1)
  }
  const seen = (lane: string, daysAgo = 0) =>
    database.query(
      `INSERT INTO lane (store, lane, seen_at) VALUES ('STORE', $1, now() - make_interval(days => $2))
        ON CONFLICT (store, lane) DO UPDATE SET seen_at = excluded.seen_at`,
      [lane, daysAgo],
    )
  const sendImport = (
    lane: string,
    clock: number,
    hash: string,
    profile: { hash: string; generation: number } | null = null,
  ) => {
    const value = { fileName: 'a.csv', items: 1, hash, bytes: 1, parts: 1, profile, undone: false, knew: {} }
    const body = { subject: `${lane} ${clock}`, clock, at: clock, by: null, seen: {}, value }
    const fact: Fact = { seq: 1, kind: 'catalog-import', subject: '1', at: clock, body, sealed: null }
    return database.transaction((tx) => CATALOG_PROJECTION.apply(tx, [fact], { store: 'STORE', lane, stream: 's' }))
  }
  const storedFiles = async () =>
    (await database.query<{ hash: string }>('SELECT hash FROM catalog_file ORDER BY at')).rows.map(({ hash }) => hash)
  return { database, call, send, bring, seen, sendImport, storedFiles }
}

describe('the file of an imported catalog', () => {
  test('is uploaded in chunks to any server, resumes after a disconnect, and is served to lanes of its store', async ({
    skip,
  }) => {
    const { call, send } = await start(skip)
    const file = makeFile(3)
    const { hash } = file.about
    expect((await call('01', 'offer', file.about)).body).toEqual({ kind: 'partly', missing: [1, 2, 3] })
    expect((await send('01', file, 2, 1)).body).toEqual({ kind: 'kept' })
    expect((await send('01', file, 2)).body).toEqual({ kind: 'kept' })
    expect((await call('02', 'fetch', { hash, number: 2 })).body).toEqual({ kind: 'later' })
    expect((await call('01', 'offer', file.about, 1)).body).toEqual({ kind: 'partly', missing: [1, 3] })
    await send('01', file, 1)
    expect((await send('01', file, 3)).body).toEqual({ kind: 'whole' })
    expect((await call('02', 'offer', file.about)).body).toEqual({ kind: 'whole' })
    for (const [index, chunk] of file.chunks.entries())
      expect((await call('02', 'fetch', { hash, number: index + 1 }, 1)).body).toEqual({ kind: 'part', chunk })
    expect((await call('03', 'fetch', { hash, number: 1 })).body).toEqual({ kind: 'later' })
  })

  test('is deleted when its hash does not match, and can be uploaded again', async ({ skip }) => {
    const { call, send, bring, storedFiles } = await start(skip)
    const file = makeFile(2)
    const wrong = { ...file, chunks: [file.chunks[0] ?? '', makeFile(1).chunks[0] ?? ''] }
    await call('01', 'offer', file.about)
    await send('01', wrong, 1)
    expect((await send('01', wrong, 2)).body).toEqual({ kind: 'wrong' })
    expect(await storedFiles()).toEqual([])
    expect((await send('01', file, 1)).body).toEqual({ kind: 'unknown' })
    await bring('01', file)
    expect((await call('01', 'offer', file.about)).body).toEqual({ kind: 'whole' })
  })

  test('is verified on the next offer when the server was killed after its last chunk', async ({ skip }) => {
    const { call, storedFiles, database } = await start(skip)
    const [file, wrong] = [makeFile(2), makeFile(2)]
    for (const { about, of } of [
      { about: file.about, of: file },
      { about: wrong.about, of: file },
    ]) {
      await call('01', 'offer', about)
      for (const [index, chunk] of of.chunks.entries())
        await database.query("INSERT INTO catalog_file_part VALUES ('STORE', $1, $2, $3)", [
          about.hash,
          index + 1,
          Buffer.from(chunk, 'base64'),
        ])
    }
    expect((await call('02', 'offer', file.about)).body).toEqual({ kind: 'whole' })
    expect((await call('02', 'fetch', { hash: file.about.hash, number: 2 })).body).toMatchObject({ kind: 'part' })
    expect((await call('02', 'offer', wrong.about)).body).toEqual({ kind: 'partly', missing: [1, 2] })
    expect(await storedFiles()).toHaveLength(2)
  })

  test('is refused beyond its offered size, also when two servers receive its chunks at once', async ({ skip }) => {
    const { call, send, bring, storedFiles } = await start(skip)
    const file = makeFile(3)
    await call('01', 'offer', { ...file.about, bytes: 4_500 })
    expect((await send('01', file, 1)).body).toEqual({ kind: 'kept' })
    expect((await send('01', file, 1, 1)).body).toEqual({ kind: 'kept' })
    expect((await send('01', file, 2)).body).toEqual({ kind: 'kept' })
    expect((await send('01', file, 3)).body).toEqual({ kind: 'wrong' })
    expect(await storedFiles()).toEqual([])
    await call('01', 'offer', { ...file.about, bytes: 3_000 })
    const both = await Promise.all([send('01', file, 1, 0), send('01', file, 2, 1)])
    expect(new Set(both.map(({ body }) => body?.['kind']))).toEqual(new Set(['kept', 'wrong']))
    expect(await storedFiles()).toEqual([])
    await bring('01', file)
    expect((await call('02', 'offer', file.about)).body).toEqual({ kind: 'whole' })
  })

  test('is refused when larger than the catalog limit', async ({ skip }) => {
    const { call } = await start(skip)
    const { about } = makeFile(1)
    expect((await call('01', 'offer', { ...about, bytes: 300 * 1024 * 1024 })).status).toBe(400)
    expect((await call('01', 'chunk', { hash: about.hash, number: 1, chunk: 'not base64!' })).status).toBe(400)
  })

  test('is refused with `full` for a lane that offered 512 MB, while other lanes can upload', async ({ skip }) => {
    const { call, database } = await start(skip)
    const largest = () => ({ ...makeFile(1).about, bytes: 256 * 1024 * 1024 })
    const offers = await Promise.all(Array.from({ length: 4 }, (_, index) => call('01', 'offer', largest(), index % 2)))
    expect(offers.filter(({ body }) => body?.['kind'] === 'partly')).toHaveLength(2)
    expect(offers.filter(({ body }) => body?.['kind'] === 'full')).toHaveLength(2)
    expect((await call('01', 'offer', makeFile(1).about)).body).toEqual({ kind: 'full' })
    expect((await call('02', 'offer', makeFile(1).about)).body).toMatchObject({ kind: 'partly' })
    await database.query("UPDATE catalog_file SET progress_at = now() - interval '5 hours'")
    expect((await call('01', 'offer', makeFile(1).about)).body).toEqual({ kind: 'full' })
    await database.query("UPDATE catalog_file SET progress_at = now() - interval '7 hours'")
    expect((await call('01', 'offer', makeFile(1).about)).body).toMatchObject({ kind: 'partly' })
  })

  test('does not expire while it receives chunks, even when the whole upload takes longer', async ({ skip }) => {
    const { call, send, database } = await start(skip)
    const file = makeFile(2)
    await call('01', 'offer', file.about)
    await database.query(
      "UPDATE catalog_file SET progress_at = now() - interval '5 hours', at = now() - interval '1 day'",
    )
    await send('01', file, 1)
    await database.query("UPDATE catalog_file SET progress_at = progress_at - interval '5 hours'")
    expect((await call('01', 'offer', file.about)).body).toEqual({ kind: 'partly', missing: [2] })
  })

  test("of a revoked lane is dropped if incomplete, and takes no space from the lane's replacement", async ({
    skip,
  }) => {
    const { call, bring, storedFiles, database } = await start(skip)
    const whole = makeFile(2)
    await bring('01', whole)
    await call('01', 'offer', { ...makeFile(1).about, bytes: 256 * 1024 * 1024 })
    await database.query('UPDATE catalog_file SET bytes = 268435456 WHERE is_whole')
    expect((await call('01', 'offer', makeFile(1).about)).body).toEqual({ kind: 'full' })
    await database.query("UPDATE catalog_file SET at = at - interval '1 minute'")
    await database.query(`INSERT INTO device (token_hash, store, lane, lane_key, code_id, since, revoked_at)
      VALUES (sha256('a'), 'STORE', '01', 'key', 'A', 1, extract(epoch FROM now() - interval '1 second') * 1000)`)
    const next = makeFile(1)
    expect((await call('01', 'offer', next.about)).body).toMatchObject({ kind: 'partly' })
    expect(await storedFiles()).toEqual([whole.about.hash, next.about.hash])
  })

  test('is deleted when each lane seen lately applied a later import; the file of the import in effect stays', async ({
    skip,
  }) => {
    const { bring, sendImport, seen, call, storedFiles } = await start(skip)
    const [old, counts] = [makeFile(1), makeFile(1)]
    await seen('01')
    await seen('02')
    await seen('04', 10)
    for (const [clock, file] of [old, counts].entries()) {
      await sendImport('01', clock + 1, file.about.hash)
      await bring('01', file)
    }
    await call('01', 'sold', { clock: 2, lane: '01' })
    expect(await storedFiles()).toEqual([old.about.hash, counts.about.hash])
    await call('02', 'sold', { clock: 1, lane: '01' })
    expect(await storedFiles()).toHaveLength(2)
    await call('02', 'sold', { clock: 2, lane: '01' })
    expect(await storedFiles()).toEqual([counts.about.hash])
  })

  test('is deleted after two weeks despite an offline lane, unless its import is effective', async ({ skip }) => {
    const { bring, sendImport, seen, call, storedFiles, database } = await start(skip)
    const [profile, counts] = [makeFile(1), makeFile(1)]
    const ofProfile = { hash: 'p', generation: 1 }
    await seen('01')
    await seen('02')
    await sendImport('01', 1, profile.about.hash, ofProfile)
    await sendImport('01', 5, counts.about.hash)
    await sendImport('02', 9, profile.about.hash, ofProfile)
    // Lane 02 was disconnected and counted fewer profile changes, so its generation is lower.
    await sendImport('01', 2, profile.about.hash, { hash: 'q', generation: 2 })
    await sendImport('02', 10, profile.about.hash, { hash: 'q', generation: 1 })
    await bring('01', profile)
    await bring('01', counts)
    await call('01', 'sold', { clock: 5, lane: '01' })
    expect(await storedFiles()).toHaveLength(2)
    await database.query("UPDATE catalog_file SET at = now() - interval '15 days'")
    await call('01', 'sold', { clock: 5, lane: '01' })
    expect(await storedFiles()).toEqual([counts.about.hash])
  })
})

import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { MAX_FACTS, PushRequest } from '../../contracts/store/protocol.ts'
import { migrate, readMigrations } from '../core/db/migrate.ts'
import { openDatabase } from '../core/db/database.ts'
import { createTransact } from '../core/db/transact.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { createFactsRepository } from './facts.sql.ts'
import { createFactPusher } from './push-facts.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import type { ReadFact } from './read-fact.ts'
import type { StoreChannel } from './channel.ts'
import { createForeignGroups } from './foreign-facts.ts'
import { type Link, linkOf, newLink } from './link-state.ts'

const BODY_LIMIT = 4 * 1024 * 1024

test('every push is below the server’s size limit; a larger fact is sent as unreadable and blocks none', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => void db.close())
  await migrate(db, readMigrations())
  for (const subject of ['small', 'huge', ...Array.from({ length: MAX_FACTS }, (_, at) => `wide ${at}`)])
    db.prepare("INSERT INTO store_told (kind, subject) VALUES ('sale', ?)").run(subject)
  const facts = createFactsRepository(db)
  const throws = (error: unknown): never => {
    throw error
  }
  const { transact } = createTransact({ db, onStop: throws, refusal: (why) => new Error(why), onMissed: throws })
  const pushes: PushRequest[] = []
  const text = (subject: string): string => 'é'.repeat(subject === 'huge' ? 2_500_000 : 5_000)
  const ctx = testContext({ db, transact })
  const readFact: ReadFact = (row) => ({ ...row, at: 1, body: { text: text(row.subject) }, sealed: null })
  const pusher = createFactPusher(ctx, facts, readFact)
  const channel: StoreChannel = {
    async post(_path, body) {
      const push = PushRequest.parse(body)
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(BODY_LIMIT)
      pushes.push(push)
      return { kind: 'answer', status: 200, body: { applied: push.facts.at(-1)?.seq, aside: [] }, ms: 1 }
    },
    trust: () => undefined,
    close: () => undefined,
  }
  const link = { channel, facts, foreign: createForeignGroups(ctx, '1.0.0', () => null) } as Link
  linkOf.provide(ctx, newLink(ctx, link))
  expect(await pusher.all(new AbortController().signal)).toBe('sent')
  expect(facts.unconfirmed()).toBe(0)
  const sizes = pushes.flatMap(({ facts: all }) => all)
  expect(sizes.map(({ seq }) => seq)).toEqual(Array.from({ length: MAX_FACTS + 2 }, (_, at) => at + 1))
  const Unreadable = z.object({ unreadable: z.string() })
  expect(sizes.flatMap(({ body, subject }) => (Unreadable.safeParse(body).success ? [subject] : []))).toEqual(['huge'])
})

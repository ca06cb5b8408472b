import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { MOST_FACTS, PushRequest } from '../../contracts/store/protocol.ts'
import { migrate, readMigrations } from '../core/db/migrate.ts'
import { openDatabase } from '../core/db/database.ts'
import { createTransact } from '../core/db/transact.ts'
import { temporaryFolder, testLog } from '../core/http/testing.ts'
import { createFactsRepository } from './facts.sql.ts'
import { createTellFacts } from './push-facts.ts'

/** What the server reads of one push, in bytes. */
const BODY_LIMIT = 4 * 1024 * 1024

test('no push is larger than the server reads; a fact that never fits holds up none behind it', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => void db.close())
  await migrate(db, readMigrations())
  for (const subject of ['small', 'huge', ...Array.from({ length: MOST_FACTS }, (_, at) => `wide ${at}`)])
    db.prepare("INSERT INTO store_told (kind, subject) VALUES ('sale', ?)").run(subject)
  const facts = createFactsRepository(db)
  const throws = (error: unknown): never => {
    throw error
  }
  const { transact } = createTransact({ db, onStop: throws, refusal: (why) => new Error(why), onMissed: throws })
  const pushes: PushRequest[] = []
  const text = (subject: string): string => 'é'.repeat(subject === 'huge' ? 2_500_000 : 5_000)
  const telling = createTellFacts({
    facts,
    transact,
    log: testLog().log,
    onTold: () => undefined,
    readFact: (row) => ({ ...row, at: 1, body: { text: text(row.subject) }, sealed: null }),
    async call(_path, body, schema) {
      const push = PushRequest.parse(body)
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(BODY_LIMIT)
      pushes.push(push)
      return { kind: 'answer', body: schema.parse({ applied: push.facts.at(-1)?.seq, aside: [] }) }
    },
  })
  expect(await telling.all(new AbortController().signal)).toBe('told')
  expect(facts.untold()).toBe(0)
  const told = pushes.flatMap(({ facts: all }) => all)
  expect(told.map(({ seq }) => seq)).toEqual(Array.from({ length: MOST_FACTS + 2 }, (_, at) => at + 1))
  const Unreadable = z.object({ unreadable: z.string() })
  expect(told.flatMap(({ body, subject }) => (Unreadable.safeParse(body).success ? [subject] : []))).toEqual(['huge'])
})

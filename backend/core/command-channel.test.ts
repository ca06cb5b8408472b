import { describe, expect, test } from 'vitest'
import { createTransact } from './db/transact.ts'
import { openTestDatabase, temporaryFolder, testClock } from './http/testing.ts'
import { ProblemError } from './problem.ts'
import { createSeal } from './integrity/seal.ts'
import { type Asker, type CommandAnswer, commandChannelOf } from './command-channel.ts'
import { partContext } from '../../packages/lab/testing/lane-context.ts'
import type { Outbox } from './outbox/outbox.ts'

const KEY = '6a5f1c9e-3f0e-4a53-9d35-2b1f9a6b6c11'
const DAY_MS = 86_400_000
const NOBODY = { asker: { window: null, staffId: null } }
const ALEX = { asker: { window: 'W1', staffId: 'alex' } }
const at = (window: string, staffId: string | null = null): Asker => ({ window, staffId })
const done = (body: string): CommandAnswer => ({ status: 200, body })

async function channelOn(folder = temporaryFolder()) {
  const db = await openTestDatabase(folder)
  db.prepare(
    `INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA')
      ON CONFLICT (id) DO NOTHING`,
  ).run()
  const clock = testClock()
  const { transact, failStop, halt } = createTransact({
    db,
    onStop: () => undefined,
    refusal: (reason) => new ProblemError(reason),
    onMissed(error) {
      throw error
    },
  })
  const channel = commandChannelOf(
    partContext({ db, transact, seal: createSeal(Buffer.alloc(32, 3)), clock, outbox: { failStop } as Outbox }),
  )
  const volumes = (): unknown => db.prepare('SELECT lane, volume FROM lane_sound').all()
  let runs = 0
  /** Makes the lane louder by one each time it is done. */
  const ask = (parts: readonly string[] = ['louder'], key = KEY, asker: Asker = ALEX.asker) =>
    channel.perform(
      { key, parts, asker },
      {
        kind: 'stored',
        run() {
          runs += 1
          db.prepare(
            `INSERT INTO lane_sound (lane, volume) VALUES ('01', 1) ON CONFLICT (lane) DO UPDATE
              SET volume = volume + 1`,
          ).run()
          return done(`run ${runs}`)
        },
      },
    )
  return { folder, db, clock, channel, ask, volumes, transact, halt }
}

describe('a stored command', () => {
  test('is done once for its key, and answered each time as it was', async () => {
    const { ask, volumes } = await channelOn()
    expect(await ask()).toEqual({ ...done('run 1'), replayed: false })
    expect(await ask()).toEqual({ ...done('run 1'), replayed: true })
    expect(volumes()).toEqual([{ lane: '01', volume: 1 }])
    expect(await ask(['louder'], 'another-key-of-a-window')).toMatchObject({ replayed: false })
  })

  test('is known after a restart: key, request and answer are in the commit of its effect', async () => {
    const { ask, folder } = await channelOn()
    await ask()
    const again = await channelOn(folder)
    expect(await again.ask()).toEqual({ ...done('run 1'), replayed: true })
    expect(again.volumes()).toEqual([{ lane: '01', volume: 1 }])
  })

  test('leaves no key when it is refused, and is refused the same way when it is repeated at once', async () => {
    const { channel, db } = await channelOn()
    let runs = 0
    const refused = () =>
      channel.perform(
        { key: KEY, parts: [], ...NOBODY },
        {
          kind: 'stored',
          run() {
            runs += 1
            throw new ProblemError(runs === 1 ? 'sale-stale' : 'internal')
          },
        },
      )
    await expect(refused()).rejects.toMatchObject({ code: 'sale-stale' })
    await expect(refused()).rejects.toMatchObject({ code: 'sale-stale' })
    expect(runs).toBe(1)
    expect(db.prepare('SELECT count(*) FROM command').pluck().get()).toBe(0)
  })

  test('under the key of another request is refused, and nothing is done', async () => {
    const { ask, volumes, folder } = await channelOn()
    await ask()
    await expect(ask(['quieter'])).rejects.toMatchObject({ code: 'key-reused' })
    await expect((await channelOn(folder)).ask(['quieter'])).rejects.toMatchObject({ code: 'key-reused' })
    expect(volumes()).toEqual([{ lane: '01', volume: 1 }])
  })

  test('is told to its own window alone, and to nobody else who is signed in there, after a restart too', async () => {
    const { ask, volumes, folder } = await channelOn()
    await ask()
    const after = await channelOn(folder)
    for (const again of [ask, after.ask]) {
      for (const other of [at('W2', 'alex'), at('W2'), at('W1', 'sam'), NOBODY.asker])
        await expect(again(['louder'], KEY, other)).rejects.toMatchObject({ code: 'key-reused' })
      for (const same of [at('W1', 'alex'), at('W1')])
        expect(await again(['louder'], KEY, same)).toEqual({ ...done('run 1'), replayed: true })
    }
    expect(volumes()).toEqual([{ lane: '01', volume: 1 }])
  })

  test('what it was answered is not to be read from the database', async () => {
    const { ask, db } = await channelOn()
    await ask()
    const { answer } = db.prepare<[], { answer: Buffer }>('SELECT answer FROM command').get() ?? {}
    expect(answer?.toString('latin1')).not.toContain('run 1')
  })

  test('takes nothing when the terminal has stopped, before its PIN is looked at', async () => {
    const { channel, halt } = await channelOn()
    halt(new Error('somebody else wrote'))
    let looked = false
    const work = {
      kind: 'stored',
      prepare: async () => {
        looked = true
      },
      run: () => done(''),
    } as const
    await expect(channel.perform({ key: KEY, parts: [], ...NOBODY }, work)).rejects.toMatchObject({
      code: 'database-changed',
    })
    expect(looked).toBe(false)
  })

  test('of yesterday is forgotten', async () => {
    const { ask, clock, channel, folder } = await channelOn()
    await ask()
    clock.advance(DAY_MS + 1)
    channel.forgetOld()
    expect(await (await channelOn(folder)).ask()).toMatchObject({ replayed: false })
  })
})

describe('a command that ends later', () => {
  test('is joined while it is under way: both are answered by the one that runs', async () => {
    const { channel } = await channelOn()
    let runs = 0
    let finish: (answer: CommandAnswer) => void = () => undefined
    const ask = () =>
      channel.perform(
        { key: KEY, parts: ['redeem'], ...ALEX },
        {
          kind: 'awaited',
          run: () => {
            runs += 1
            return new Promise((resolve) => {
              finish = resolve
            })
          },
          interrupted: null,
        },
      )
    const [first, second] = [ask(), ask()]
    finish(done('approved'))
    expect(await first).toEqual({ ...done('approved'), replayed: false })
    expect(await second).toEqual({ ...done('approved'), replayed: true })
    expect(await ask()).toMatchObject({ replayed: true })
    expect(runs).toBe(1)
  })

  test('is joined and told by its own window alone, also where its answer is on no disk', async () => {
    const { channel } = await channelOn()
    let finish: (answer: CommandAnswer) => void = () => undefined
    const work = {
      kind: 'awaited',
      run: () =>
        new Promise<CommandAnswer>((resolve) => {
          finish = resolve
        }),
      interrupted: null,
    } as const
    const asked = { key: KEY, parts: ['sign-in'] }
    const first = channel.perform({ ...asked, asker: at('W1') }, work)
    const other = () => channel.perform({ ...asked, asker: at('W2') }, work)
    await expect(other()).rejects.toMatchObject({ code: 'key-reused' })
    finish(done('welcome'))
    await first
    await expect(other()).rejects.toMatchObject({ code: 'key-reused' })
  })

  test('that a restart cut off after its intent says what came of it, and is not done again', async () => {
    const { channel, transact, folder } = await channelOn()
    void channel.perform(
      { key: KEY, parts: ['redeem'], ...ALEX },
      {
        kind: 'awaited',
        run(claim) {
          transact(claim)
          return new Promise(() => undefined)
        },
        interrupted: () => done('as recovery found it'),
      },
    )
    const again = await channelOn(folder)
    const work = {
      kind: 'awaited',
      run: () => Promise.reject(new Error('it is done already')),
      interrupted: () => done('as recovery found it'),
    } as const
    expect(await again.channel.perform({ key: KEY, parts: ['redeem'], ...ALEX }, work)).toEqual({
      ...done('as recovery found it'),
      replayed: true,
    })
  })
})

test('a window that may no longer ask is told what it was told, and nothing is done for it', async () => {
  const { channel, ask } = await channelOn()
  expect(channel.asksAgain(KEY, at('W1'))).toBe(false)
  await ask()
  expect(channel.asksAgain(KEY, at('W1'))).toBe(true)
  expect(channel.asksAgain(KEY, at('W2'))).toBe(false)
  const never = { kind: 'stored', run: () => done('again') } as const
  await expect(
    channel.perform({ key: 'a-key-nobody-has-asked', parts: [], asker: at('W1') }, never, true),
  ).rejects.toMatchObject({ code: 'sign-in-required' })
})

import { describe, expect, test } from 'vitest'
import { createTransact } from './db/transact.ts'
import { openTestDatabase, temporaryFolder, testClock } from './http/testing.ts'
import { ProblemError } from './problem.ts'
import { createSeal } from './integrity/seal.ts'
import { type CommandClient, type CommandAnswer, commandChannelOf } from './command-channel.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import type { Outbox } from './outbox/outbox.ts'

const KEY = '6a5f1c9e-3f0e-4a53-9d35-2b1f9a6b6c11'
const DAY_MS = 86_400_000
const NO_CLIENT = { client: { window: null, staffId: null } }
const ALEX = { client: { window: 'W1', staffId: 'alex' } }
const at = (window: string, staffId: string | null = null): CommandClient => ({ window, staffId })
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
    testContext({ db, transact, seal: createSeal(Buffer.alloc(32, 3)), clock, outbox: { failStop } as Outbox }),
  )
  const volumes = (): unknown => db.prepare('SELECT lane, volume FROM lane_sound').all()
  let runs = 0
  const ask = (requestFields: readonly string[] = ['louder'], key = KEY, client: CommandClient = ALEX.client) =>
    channel.perform(
      { key, requestFields, client: client },
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

describe('a command of the kind “stored”', () => {
  test('runs once per key, and every repetition gets the stored answer', async () => {
    const { ask, volumes } = await channelOn()
    expect(await ask()).toEqual({ ...done('run 1'), replayed: false })
    expect(await ask()).toEqual({ ...done('run 1'), replayed: true })
    expect(volumes()).toEqual([{ lane: '01', volume: 1 }])
    expect(await ask(['louder'], 'another-key-of-a-window')).toMatchObject({ replayed: false })
  })

  test('survives a restart: its key, request and answer commit with its effect', async () => {
    const { ask, folder } = await channelOn()
    await ask()
    const again = await channelOn(folder)
    expect(await again.ask()).toEqual({ ...done('run 1'), replayed: true })
    expect(again.volumes()).toEqual([{ lane: '01', volume: 1 }])
  })

  test('stores no key when it is refused; an immediate repetition gets the same refusal without a run', async () => {
    const { channel, db } = await channelOn()
    let runs = 0
    const refused = () =>
      channel.perform(
        { key: KEY, requestFields: [], ...NO_CLIENT },
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

  test('is refused without effect when the key belongs to another request', async () => {
    const { ask, volumes, folder } = await channelOn()
    await ask()
    await expect(ask(['quieter'])).rejects.toMatchObject({ code: 'key-reused' })
    await expect((await channelOn(folder)).ask(['quieter'])).rejects.toMatchObject({ code: 'key-reused' })
    expect(volumes()).toEqual([{ lane: '01', volume: 1 }])
  })

  test('returns its answer to no other window or person than those that sent it, also after a restart', async () => {
    const { ask, volumes, folder } = await channelOn()
    await ask()
    const after = await channelOn(folder)
    for (const again of [ask, after.ask]) {
      for (const other of [at('W2', 'alex'), at('W2'), at('W1', 'sam'), NO_CLIENT.client])
        await expect(again(['louder'], KEY, other)).rejects.toMatchObject({ code: 'key-reused' })
      for (const same of [at('W1', 'alex'), at('W1')])
        expect(await again(['louder'], KEY, same)).toEqual({ ...done('run 1'), replayed: true })
    }
    expect(volumes()).toEqual([{ lane: '01', volume: 1 }])
  })

  test('stores its answer sealed', async () => {
    const { ask, db } = await channelOn()
    await ask()
    const { answer } = db.prepare<[], { answer: Buffer }>('SELECT answer FROM command').get() ?? {}
    expect(answer?.toString('latin1')).not.toContain('run 1')
  })

  test('is refused on a stopped terminal before the PIN of its approval is checked', async () => {
    const { channel, halt } = await channelOn()
    halt(new Error('written by another connection'))
    let looked = false
    const work = {
      kind: 'stored',
      prepare: async () => {
        looked = true
      },
      run: () => done(''),
    } as const
    await expect(channel.perform({ key: KEY, requestFields: [], ...NO_CLIENT }, work)).rejects.toMatchObject({
      code: 'database-changed',
    })
    expect(looked).toBe(false)
  })

  test('is deleted from the database after a day', async () => {
    const { ask, clock, channel, folder } = await channelOn()
    await ask()
    clock.advance(DAY_MS + 1)
    channel.forgetOld()
    expect(await (await channelOn(folder)).ask()).toMatchObject({ replayed: false })
  })
})

describe('a command of the kind “awaited”', () => {
  test('is not run again if it is repeated while it runs: both calls get its outcome', async () => {
    const { channel } = await channelOn()
    let runs = 0
    let finish: (answer: CommandAnswer) => void = () => undefined
    const ask = () =>
      channel.perform(
        { key: KEY, requestFields: ['redeem'], ...ALEX },
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

  test('shares its outcome only with the window that sent it, even when its answer is not on disk', async () => {
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
    const asked = { key: KEY, requestFields: ['sign-in'] }
    const first = channel.perform({ ...asked, client: at('W1') }, work)
    const other = () => channel.perform({ ...asked, client: at('W2') }, work)
    await expect(other()).rejects.toMatchObject({ code: 'key-reused' })
    finish(done('welcome'))
    await first
    await expect(other()).rejects.toMatchObject({ code: 'key-reused' })
  })

  test('is not run again after a restart interrupted it: a repetition gets the outcome that was recorded', async () => {
    const { channel, transact, folder } = await channelOn()
    void channel.perform(
      { key: KEY, requestFields: ['redeem'], ...ALEX },
      {
        kind: 'awaited',
        run(storeKey) {
          transact(storeKey)
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
    expect(await again.channel.perform({ key: KEY, requestFields: ['redeem'], ...ALEX }, work)).toEqual({
      ...done('as recovery found it'),
      replayed: true,
    })
  })
})

test('a window without permission may only repeat its own stored command, and runs nothing else', async () => {
  const { channel, ask } = await channelOn()
  expect(channel.isRepeated(KEY, at('W1'))).toBe(false)
  await ask()
  expect(channel.isRepeated(KEY, at('W1'))).toBe(true)
  expect(channel.isRepeated(KEY, at('W2'))).toBe(false)
  const never = { kind: 'stored', run: () => done('again') } as const
  await expect(
    channel.perform({ key: 'a-key-nobody-has-asked', requestFields: [], client: at('W1') }, never, true),
  ).rejects.toMatchObject({ code: 'sign-in-required' })
})

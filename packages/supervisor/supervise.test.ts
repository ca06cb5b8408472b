import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { launchNode } from './service.ts'
import { RESTART_EXIT_CODE, ServiceFailure, type SuperviseOptions, type Supervised, supervise } from './supervise.ts'

const STAND_IN = fileURLToPath(new URL('../../electron/testing/stand-in.ts', import.meta.url))
const Ready = z.object({ url: z.string(), launchUrl: z.string() })
type Ready = z.infer<typeof Ready>

const running: Supervised<Ready>[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()))
})

async function start(
  fate: string | undefined,
  more: Partial<SuperviseOptions<Ready>> = {},
): Promise<Supervised<Ready>> {
  const service = await supervise<Ready>({
    name: 'backend',
    launch: (previous) =>
      launchNode({
        script: STAND_IN,
        args: ['--port', previous === null ? '0' : new URL(previous.url).port],
        env: fate === undefined ? {} : { STAND_IN_FATE: fate },
      }),
    parseReady: (line) => Ready.parse(JSON.parse(line)),
    backoffMs: () => 10,
    ...more,
  })
  running.push(service)
  return service
}

const ask = async (url: string): Promise<{ pid: number }> => (await fetch(url)).json() as Promise<{ pid: number }>
const crash = (url: string, code: number): Promise<unknown> => fetch(`${url}/die?code=${code}`).catch(() => null)
const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a supervised program', () => {
  it('may print a new launch link while it runs, and its other output is ignored', async () => {
    const more = Promise.withResolvers<Ready>()
    const service = await start(undefined, { onAnotherReady: more.resolve })
    await fetch(`${service.ready.url}/repeat`)
    expect(await more.promise).toEqual(service.ready)
  })

  it('restarts on the same port after a crash during the day, so that the open window continues', async () => {
    const back = Promise.withResolvers<Ready>()
    const ends: (number | null)[] = []
    const service = await start(undefined, { onReadyAgain: back.resolve, onRestart: (exit) => ends.push(exit.code) })
    const before = await ask(service.ready.url)
    await crash(service.ready.url, 1)
    const again = await back.promise
    expect(again.url).toBe(service.ready.url)
    expect(ends).toEqual([1])
    const after = await ask(again.url)
    expect(after.pid).not.toBe(before.pid)
    expect(after.pid).toBe(service.pid())
  })

  it('is restarted with a longer delay after each crash', async () => {
    const waits: number[] = []
    const thrice = Promise.withResolvers<void>()
    const service = await start(undefined, {
      backoffMs: (attempt) => 10 * 2 ** attempt,
      onRestart: (_exit, delayMs) => waits.push(delayMs),
      onReadyAgain: (ready) => (waits.length < 3 ? void crash(ready.url, 1) : thrice.resolve()),
    })
    await crash(service.ready.url, 1)
    await thrice.promise
    expect(waits).toEqual([10, 20, 40])
  })

  it('is not restarted if it ends with the exit code for a data folder that another terminal holds', async () => {
    const restarts: number[] = []
    const service = await start(undefined, { onRestart: () => restarts.push(1) })
    await crash(service.ready.url, 3)
    const failure = await service.failed
    expect(failure.exit?.code).toBe(3)
    expect(restarts).toEqual([])
  })

  it('is not restarted if it rejects its arguments, and its message reaches the person', async () => {
    const failure = await start('refuse').then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(ServiceFailure)
    expect(failure).toMatchObject({ exit: { code: 2 } })
    expect((failure as ServiceFailure).lastLines.at(-1)).toContain('line 3: region')
  })

  it('ends with the exit code that it announced, even if it hangs then', async () => {
    await expect(start('hang', { endingTimeoutMs: 100 })).rejects.toMatchObject({ exit: { code: 4, signal: null } })
  })

  it('is restarted immediately if it hangs at a restart that it requested', async () => {
    const back = Promise.withResolvers<Ready>()
    const waits: number[] = []
    const service = await start(undefined, {
      endingTimeoutMs: 100,
      onRestart: (_exit, delayMs) => waits.push(delayMs),
      onReadyAgain: back.resolve,
    })
    void fetch(`${service.ready.url}/hang?code=${RESTART_EXIT_CODE}`).catch(() => null)
    expect((await back.promise).url).toBe(service.ready.url)
    expect(waits).toEqual([0])
  })

  it('is ended at the deadline if it never reports that it is ready', async () => {
    await expect(start('silent', { readyTimeoutMs: 300 })).rejects.toThrow('did not become ready within 0.3 s')
  })

  it('is ended if its first line of output is not its ready message', async () => {
    await expect(start('babble')).rejects.toThrow('an unexpected message')
  })

  it('is killed if it ignores the request to end', async () => {
    const service = await start('stubborn', { stopTimeoutMs: 200 })
    const { pid } = await ask(service.ready.url)
    await service.stop()
    expect(alive(pid)).toBe(false)
  })

  it('does not outlive a supervising process that was killed', async () => {
    const supervisor = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `
      import { launchNode } from ${JSON.stringify(new URL('./service.ts', import.meta.url).href)}
      const child = launchNode({ script: ${JSON.stringify(STAND_IN)}, args: ['--port', '0'], env: {} })
      child.stdout.pipe(process.stdout)
      child.stderr.pipe(process.stderr)
    `,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [line] = (await once(createInterface({ input: supervisor.stdout }), 'line')) as [string]
    const { url } = Ready.parse(JSON.parse(line))
    const { pid } = await ask(url)
    expect(alive(pid)).toBe(true)
    const connection = connect(Number(new URL(url).port), '127.0.0.1')
    await once(connection, 'connect')
    connection.on('error', () => {})
    const hungUp = once(connection.resume(), 'close')
    supervisor.kill('SIGKILL')
    await hungUp
    expect(await ask(url).catch(() => 'gone')).toBe('gone')
  })
})

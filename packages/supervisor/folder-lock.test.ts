import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { lockFolder } from './folder-lock.ts'
import type { FolderLock, LockOptions } from './folder-lock.ts'

// Makes the user's name unknown, as when a directory service is offline.
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  userInfo: () => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  },
}))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-lock-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function hold(place: string, options: LockOptions = {}): Promise<FolderLock> {
  const lock = await lockFolder(place, options)
  if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy}`)
  return lock
}

describe('the lock of a data folder', () => {
  it('is the same lock if the data folder is opened by another path', async () => {
    const lock = await hold(folder)
    const alias = path.join(folder, 'alias')
    symlinkSync(folder, alias)
    expect(await lockFolder(alias)).toEqual({ heldBy: String(process.pid), hasWindow: false })
    await lock.release()
    await (await hold(alias)).release()
  })

  it('ends with its killed holder, so that the terminal starts after a power cut', async () => {
    const holder = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `
      const { lockFolder } = await import(${JSON.stringify(new URL('./folder-lock.ts', import.meta.url).href)})
      const lock = await lockFolder(${JSON.stringify(folder)})
      console.log('heldBy' in lock ? 'refused' : 'held')
      process.stdin.resume()
    `,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    const [output] = (await once(holder.stdout, 'data')) as [Buffer]
    expect(output.toString()).toBe('held\n')
    expect(await lockFolder(folder)).toEqual({ heldBy: String(holder.pid), hasWindow: false })
    holder.kill('SIGKILL')
    await once(holder, 'close')
    await (await hold(folder)).release()
  })

  it.each([
    ['control sequences for a terminal window', '\u001b]0;mine\u0007\u001b[2J4711'],
    ['more than a process id', '4'.repeat(100_000)],
    ['a process id and an unknown word', '4711 windows'],
    ['a process id and another line', '4711\nOpen http://198.51.100.7/ instead'],
  ])('reports the holder as unknown if the holder’s answer is not a process id: %s', async (_what, answer) => {
    await holdFromOutside(answer)
    expect(await lockFolder(folder)).toEqual({ heldBy: 'unknown', hasWindow: false })
  })

  it('brings the holder’s window forward for a second start, not for a query by a CLI command', async () => {
    let requests = 0
    const forward = Promise.withResolvers<void>()
    const bringToFront = (): void => {
      requests++
      forward.resolve()
    }
    let isOpen = true
    const lock = await hold(folder, { window: { isOpen: () => isOpen, bringToFront } })
    expect(await lockFolder(folder)).toEqual({ heldBy: String(process.pid), hasWindow: true })
    expect(await lockFolder(folder, { bringWindowToFront: true })).toEqual({
      heldBy: String(process.pid),
      hasWindow: true,
    })
    await forward.promise
    isOpen = false
    expect(await lockFolder(folder, { bringWindowToFront: true }), 'a window that is closed is not promised').toEqual({
      heldBy: String(process.pid),
      hasWindow: false,
    })
    // The lock is released only after every connection has ended and its message was received.
    await lock.release()
    expect(requests).toBe(1)
  })

  it('is released although its holder has no window and was asked to show one', async () => {
    const lock = await hold(folder)
    expect(await lockFolder(folder, { bringWindowToFront: true })).toEqual({
      heldBy: String(process.pid),
      hasWindow: false,
    })
    await lock.release()
    await (await hold(folder)).release()
  })

  it('is refused if a socket of another user is in its place', async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root can give a socket to another user')
    const address = await holdFromOutside('4711')
    chownSync(address, 65_534, 65_534)
    await expect(lockFolder(folder)).rejects.toThrow(`${address} belongs to another user of this machine`)
  })
})

async function holdFromOutside(answer: string): Promise<string> {
  const runtime = path.join(folder, 'runtime')
  mkdirSync(runtime)
  vi.stubEnv('XDG_RUNTIME_DIR', runtime)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const lock = await hold(folder)
  const address = path.join(runtime, readdirSync(runtime)[0] ?? '')
  await lock.release()
  const server = createServer((client) => {
    client.on('error', () => {}).end(answer)
  }).listen(address)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return address
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockFolder } from './folder-lock.ts'
import type { FolderLock } from './folder-lock.ts'

let folder: string
beforeEach(() => { folder = mkdtempSync(path.join(tmpdir(), 'milepost-lock-')) })
afterEach(() => { rmSync(folder, { recursive: true, force: true }) })

async function hold(place: string): Promise<FolderLock> {
  const lock = await lockFolder(place)
  if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy}`)
  return lock
}

describe('the lock of a data folder', () => {
  it('is one per folder, whatever name the folder is called by', async () => {
    const lock = await hold(folder)
    const alias = path.join(folder, 'alias')
    symlinkSync(folder, alias)
    expect(await lockFolder(alias)).toEqual({ heldBy: String(process.pid) })
    await lock.release()
    await (await hold(alias)).release()
  })

  it('does not outlive a holder that was killed: after a power cut the terminal starts', async () => {
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', `
      const { lockFolder } = await import(${JSON.stringify(new URL('./folder-lock.ts', import.meta.url).href)})
      const lock = await lockFolder(${JSON.stringify(folder)})
      console.log('heldBy' in lock ? 'refused' : 'held')
      process.stdin.resume()
    `], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [said] = await once(holder.stdout, 'data') as [Buffer]
    expect(said.toString()).toBe('held\n')
    expect(await lockFolder(folder)).toEqual({ heldBy: String(holder.pid) })
    holder.kill('SIGKILL')
    await once(holder, 'close')
    await (await hold(folder)).release()
  })
})

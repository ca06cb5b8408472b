import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A pseudo-terminal at its own path, run by socat, that replaces a cable in tests. */
export interface Pty {
  readonly path: string
  send(bytes: Uint8Array | string): void
  flush(bytes: Uint8Array): Promise<void>
  /** Makes the far end stay open but read no more data, as a printer without paper does. */
  stall(): void
  unplug(): Promise<void>
  plug(): Promise<void>
  close(): Promise<void>
}

/** Opens the cable. `far`: address of a device behind it; by default the test is the far end. */
export async function openPty(far?: { readonly host: string; readonly port: number }): Promise<Pty> {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-pty-'))
  const path = join(folder, 'port')
  let socat: ChildProcess | null = null

  async function plug(): Promise<void> {
    const child = spawn(
      'socat',
      ['-d', '-d', `PTY,link=${path},raw,echo=0`, far ? `TCP:${far.host}:${far.port},nodelay` : 'STDIO'],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    )
    socat = child
    child.stdin.on('error', () => undefined)
    child.stdout.resume()
    await new Promise<void>((resolve, reject) => {
      let output = ''
      child.once('error', reject)
      child.once('exit', () => {
        reject(new Error(`socat ended: ${output}`))
      })
      child.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString('latin1')
        if (output.includes('starting data transfer loop')) resolve()
      })
    })
  }

  async function unplug(): Promise<void> {
    const child = socat
    socat = null
    if (child === null || child.exitCode !== null) return
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => {
        resolve()
      })
    })
    child.kill('SIGKILL')
    await exited
    // A killed socat leaves the link behind; the device path of a real port disappears.
    await rm(path, { force: true })
  }

  await plug()
  return {
    path,
    send(bytes) {
      socat?.stdin?.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    },
    flush: (bytes) =>
      new Promise((resolve) => {
        if (socat?.stdin)
          socat.stdin.write(bytes, () => {
            resolve()
          })
        else resolve()
      }),
    stall() {
      socat?.kill('SIGSTOP')
    },
    unplug,
    plug,
    async close() {
      await unplug()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

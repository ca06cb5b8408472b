import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A pseudo-terminal at a path of its own, held by socat: what a cable is to a driver. For tests. */
export interface Pty {
  readonly path: string
  /** The far end sends. */
  send(bytes: Uint8Array | string): void
  /** As `send`; resolves when the bytes are with the far end's process. */
  flush(bytes: Uint8Array): Promise<void>
  /** The far end stays and takes no more data, as a printer does that is out of paper. */
  stall(): void
  /** Pulls the cable: socat dies and its end of the terminal with it. */
  unplug(): Promise<void>
  /** Puts it back at the same path, with a new terminal behind it. */
  plug(): Promise<void>
  close(): Promise<void>
}

/** `far`: where the far end is, as a device behind the cable; left out, the test itself is the far end. */
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
      let said = ''
      child.once('error', reject)
      child.once('exit', () => {
        reject(new Error(`socat ended: ${said}`))
      })
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString('latin1')
        if (said.includes('starting data transfer loop')) resolve()
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
    // Killed outright, socat leaves its link behind, as no real device does.
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

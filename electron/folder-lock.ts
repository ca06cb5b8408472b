import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { folderRefusal, TerminalRefused } from './refused.ts'

export interface FolderLock {
  release(): Promise<void>
}
/** Another terminal has the folder: its process id, or `unknown`. */
export interface FolderHeld {
  readonly heldBy: string
}

/**
 * One terminal per data folder, from before the first of its processes starts.
 *
 * The lock is a listening socket, because the system closes it when its process ends, however it ends:
 * a lock file would outlive a power cut. The backend guards its database by itself as well; this one also
 * covers the training services, and can say who holds the folder. Rejects with TerminalRefused, also where another user
 * of this machine has put something in the lock's place.
 */
export async function lockFolder(folder: string): Promise<FolderLock | FolderHeld> {
  const address = lockAddress(makeFolder(folder))
  for (let attempt = 0; ; attempt++) {
    const server = await listen(address)
    if (server !== null) {
      return {
        release: () =>
          new Promise((resolve) => {
            server.close(() => resolve())
          }),
      }
    }
    refuseStrangers(address)
    const holder = await askHolder(address)
    if (holder !== null) return { heldBy: holder }
    // Nobody answers: its process died without removing the name. Three rounds are enough unless others race for it
    // too.
    if (attempt === 2) return { heldBy: 'unknown' }
    rmSync(address, { force: true })
  }
}

/** The folder's real path, once it is there and may be written. */
function makeFolder(folder: string): string {
  try {
    makeOneByOne(path.resolve(folder))
    readdirSync(folder)
    accessSync(folder, constants.W_OK | constants.X_OK)
    return realpathSync(folder)
  } catch (error) {
    throw folderRefusal(folder, error)
  }
}

/**
 * Node's own `recursive` never returns where the system says that the parent of a folder is missing although it stands,
 * as in /proc.
 */
function makeOneByOne(folder: string): void {
  if (existsSync(folder)) return
  makeOneByOne(path.dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Somebody else has made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

function lockAddress(realFolder: string): string {
  const key = createHash('sha256').update(realFolder).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\milepost-${key}`
  // Socket paths end at about 100 bytes, data folders do not: hence a short name in the run-time folder.
  const runtime = process.env['XDG_RUNTIME_DIR']
  return path.join(
    runtime !== undefined && path.isAbsolute(runtime) ? runtime : tmpdir(),
    `milepost-${userInfo().uid}-${key}.lock`,
  )
}

function listen(address: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((client) => {
      client.on('error', () => {})
      client.end(String(process.pid))
    })
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(address, () => resolve(server))
  })
}

/**
 * Where no run-time folder of our own is, the name lies in one that everybody may write to: what somebody else put
 * there is neither asked nor removed. Windows keeps no owner of a pipe that could be asked for; its words are bounded
 * all the same.
 */
function refuseStrangers(address: string): void {
  if (process.platform === 'win32') return
  const found = lstatSync(address, { throwIfNoEntry: false })
  if (found === undefined || found.uid === userInfo().uid) return
  throw new TerminalRefused(
    `The lock ${address} belongs to another user of this machine and is no terminal of yours. Have it removed, ` +
      'or set XDG_RUNTIME_DIR to a folder of your own.',
    2,
  )
}

/** A process id has ten digits at most. */
const PROCESS_ID = /^\d{1,10}$/
const MOST_BYTES = 10

/** What the holder says it is. Its words go to a terminal window: anything but a process id is not repeated. */
function askHolder(address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const client = connect(address)
    const deadline = setTimeout(() => {
      settle('unknown')
    }, 2_000)
    const settle = (holder: string | null): void => {
      clearTimeout(deadline)
      client.destroy()
      resolve(holder)
    }
    let said = ''
    client.on('data', (bytes) => {
      said += bytes.toString('latin1', 0, MOST_BYTES + 1)
      if (said.length > MOST_BYTES) settle('unknown')
    })
    client.once('end', () => {
      settle(PROCESS_ID.test(said) ? said : 'unknown')
    })
    client.once('error', () => {
      settle(null)
    })
  })
}

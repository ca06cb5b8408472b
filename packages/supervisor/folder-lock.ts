import { createHash } from 'node:crypto'
import { accessSync, constants, lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeFolder } from '../delivery/whole-file.ts'
import { folderRefusal, TerminalRefused } from './terminal-refused.ts'

export interface FolderLock {
  release(): Promise<void>
}
/** A data folder that another terminal holds. `heldBy`: the process id of that terminal, or `unknown`. */
export interface FolderHeld {
  readonly heldBy: string
  readonly hasWindow: boolean
}
export interface LaneWindow {
  /** Whether the holder’s window is still open. A closed window is not asked to come forward. */
  isOpen(): boolean
  bringToFront(): void
}
export interface LockOptions {
  readonly window?: LaneWindow | undefined
  readonly bringWindowToFront?: boolean
}

/**
 * Allows one terminal per data folder, from before the first process of the terminal starts. The lock is a listening
 * socket, which the system closes when its process ends for any reason; a lock file would outlive a power cut. The
 * backend also locks its database; this lock also covers the training services and can identify the holder. Rejects
 * with TerminalRefused, also if another user of this machine has put a file in the lock’s place.
 */
export async function lockFolder(folder: string, options: LockOptions = {}): Promise<FolderLock | FolderHeld> {
  const address = lockAddress(openFolder(folder))
  for (let attempt = 0; ; attempt++) {
    const server = await listen(address, options.window)
    if (server !== null) {
      return {
        release: () =>
          new Promise((resolve) => {
            server.close(() => resolve())
          }),
      }
    }
    requireOwnSocket(address)
    const holder = await queryHolder(address, options.bringWindowToFront === true)
    if (holder !== null) return holder
    // If the connection fails, the lock’s process died without removing the socket. Three rounds are enough unless
    // other processes compete.
    if (attempt === 2) return UNKNOWN
    rmSync(address, { force: true })
  }
}

function openFolder(folder: string): string {
  try {
    makeFolder(path.resolve(folder), 0o700)
    readdirSync(folder)
    accessSync(folder, constants.W_OK | constants.X_OK)
    return realpathSync(folder)
  } catch (error) {
    throw folderRefusal(folder, error)
  }
}

/** The user id comes from the process, because a user of an offline directory service is in no local list. */
const ownId = (): number | undefined => process.getuid?.()

function lockAddress(realFolder: string): string {
  const key = createHash('sha256').update(realFolder).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\milepost-${key}`
  // Returns the socket’s address. Socket paths are limited to about 100 bytes, unlike data folders, so it is a short
  // name in the run-time folder.
  const runtime = process.env['XDG_RUNTIME_DIR']
  return path.join(
    runtime !== undefined && path.isAbsolute(runtime) ? runtime : tmpdir(),
    `milepost-${ownId()}-${key}.lock`,
  )
}

function listen(address: string, window: LaneWindow | undefined): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((client) => {
      client.on('error', () => {})
      // Disconnect the client after a time, because an open connection would prevent the release of the lock.
      client.setTimeout(ANSWER_MS, () => client.destroy())
      handleRequest(client, window)
      client.end(`${process.pid}${window?.isOpen() === true ? WITH_WINDOW : ''}`)
    })
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(address, () => resolve(server))
  })
}

/**
 * CLI commands query the holder of the lock without sending anything: only this exact request brings the holder’s
 * window forward.
 */
function handleRequest(client: Socket, window: LaneWindow | undefined): void {
  let received = ''
  client.on('data', (bytes) => {
    received += bytes.toString('latin1', 0, FORWARD.length + 1)
    if (received === FORWARD && window?.isOpen() === true) window.bringToFront()
    if (received.length > FORWARD.length) client.destroy()
  })
}

/**
 * Refuses the socket of another user. Without a user’s own run-time folder, the socket is in a folder to which everyone
 * can write: a file of another user is neither contacted nor removed. Windows has no owner of a pipe, but the length of
 * an answer is limited too.
 */
function requireOwnSocket(address: string): void {
  if (process.platform === 'win32') return
  const found = lstatSync(address, { throwIfNoEntry: false })
  if (found === undefined || found.uid === ownId()) return
  throw new TerminalRefused(
    `The lock ${address} belongs to another user of this machine, not to your terminal. Have it removed, ` +
      'or set XDG_RUNTIME_DIR to a folder of your own.',
    2,
  )
}

const ANSWER_MS = 2_000
const FORWARD = 'come forward\n'
const WITH_WINDOW = ' window'
const HOLDER = /^(\d{1,10})( window)?$/
const MAX_BYTES = 10 + WITH_WINDOW.length
const UNKNOWN: FolderHeld = { heldBy: 'unknown', hasWindow: false }

/**
 * Asks the holder of the lock for its process id; null if the connection fails, UNKNOWN without a valid answer in time.
 * The answer is shown in a console window, so nothing else of it is repeated.
 */
function queryHolder(address: string, forWindow: boolean): Promise<FolderHeld | null> {
  return new Promise((resolve) => {
    const sent = Promise.withResolvers<void>()
    const client = connect(address, () => {
      if (forWindow) client.write(FORWARD, () => sent.resolve())
      else sent.resolve()
    })
    const deadline = setTimeout(() => {
      finish(UNKNOWN)
    }, ANSWER_MS)
    const finish = (holder: FolderHeld | null): void => {
      clearTimeout(deadline)
      client.destroy()
      resolve(holder)
    }
    let answer = ''
    client.on('data', (bytes) => {
      answer += bytes.toString('latin1', 0, MAX_BYTES + 1)
      if (answer.length > MAX_BYTES) finish(UNKNOWN)
    })
    client.once('end', () => {
      // Finish only after the request was written, because finishing closes the connection.
      void sent.promise.then(() => finish(readHolder(answer)))
    })
    client.once('error', () => {
      // A holder that answered is running, even if the connection failed before the holder got the request.
      finish(answer === '' ? null : readHolder(answer))
    })
  })
}

function readHolder(answer: string): FolderHeld {
  const [, heldBy, window] = HOLDER.exec(answer) ?? []
  return heldBy === undefined ? UNKNOWN : { heldBy, hasWindow: window !== undefined }
}

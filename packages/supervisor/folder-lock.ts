import { createHash } from 'node:crypto'
import { accessSync, constants, lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeFolder } from '../delivery/whole-file.ts'
import { folderRefusal, TerminalRefused } from './refused.ts'

export interface FolderLock {
  release(): Promise<void>
}
/** Another terminal has the folder: its process id, or `unknown`. */
export interface FolderHeld {
  readonly heldBy: string
  /** It has a window of its own that comes forward when it is asked to. */
  readonly hasWindow: boolean
}
/** The window of whoever has the folder. */
export interface LaneWindow {
  /** False once it is closed: nobody is told then that it comes forward. */
  isOpen(): boolean
  comeForward(): void
}
export interface LockOptions {
  /** Given by whoever has a window: another start may ask for it to come forward. */
  readonly window?: LaneWindow | undefined
  /** Asks the window of whoever has the folder to come forward. */
  readonly askForWindow?: boolean
}

/**
 * One terminal per data folder, from before the first of its processes starts.
 *
 * The lock is a listening socket, because the system closes it when its process ends, however it ends:
 * a lock file would outlive a power cut. The backend guards its database by itself as well; this one also
 * covers the training services, and can say who holds the folder. Rejects with TerminalRefused, also where another user
 * of this machine has put something in the lock's place.
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
    refuseStrangers(address)
    const holder = await askHolder(address, options.askForWindow === true)
    if (holder !== null) return holder
    // Nobody answers: its process died without removing the name. Three rounds are enough unless others race for it
    // too.
    if (attempt === 2) return UNKNOWN
    rmSync(address, { force: true })
  }
}

/** The folder's real path, once it is there and may be written. */
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

/** Asked of the process: a user of a directory service that is away stands in no list of this machine. */
const ownId = (): number | undefined => process.getuid?.()

function lockAddress(realFolder: string): string {
  const key = createHash('sha256').update(realFolder).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\milepost-${key}`
  // Socket paths end at about 100 bytes, data folders do not: hence a short name in the run-time folder.
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
      // Whoever asks and then stays would keep the lock from being given back.
      client.setTimeout(ANSWER_MS, () => client.destroy())
      hearRequest(client, window)
      client.end(`${process.pid}${window?.isOpen() === true ? WITH_WINDOW : ''}`)
    })
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(address, () => resolve(server))
  })
}

/** Installers' commands ask who holds the folder too, and say nothing: only the one word moves a window. */
function hearRequest(client: Socket, window: LaneWindow | undefined): void {
  let heard = ''
  client.on('data', (bytes) => {
    heard += bytes.toString('latin1', 0, FORWARD.length + 1)
    if (heard === FORWARD && window?.isOpen() === true) window.comeForward()
    if (heard.length > FORWARD.length) client.destroy()
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
  if (found === undefined || found.uid === ownId()) return
  throw new TerminalRefused(
    `The lock ${address} belongs to another user of this machine and is no terminal of yours. Have it removed, ` +
      'or set XDG_RUNTIME_DIR to a folder of your own.',
    2,
  )
}

const ANSWER_MS = 2_000
const FORWARD = 'come forward\n'
const WITH_WINDOW = ' window'
/** A process id has ten digits at most. */
const HOLDER = /^(\d{1,10})( window)?$/
const MOST_BYTES = 10 + WITH_WINDOW.length
const UNKNOWN: FolderHeld = { heldBy: 'unknown', hasWindow: false }

/**
 * What the holder says it is, or null where nobody answers. Its words go to a terminal window: anything but a process
 * id is not repeated.
 */
function askHolder(address: string, forWindow: boolean): Promise<FolderHeld | null> {
  return new Promise((resolve) => {
    const sent = Promise.withResolvers<void>()
    const client = connect(address, () => {
      if (forWindow) client.write(FORWARD, () => sent.resolve())
      else sent.resolve()
    })
    const deadline = setTimeout(() => {
      settle(UNKNOWN)
    }, ANSWER_MS)
    const settle = (holder: FolderHeld | null): void => {
      clearTimeout(deadline)
      client.destroy()
      resolve(holder)
    }
    let said = ''
    client.on('data', (bytes) => {
      said += bytes.toString('latin1', 0, MOST_BYTES + 1)
      if (said.length > MOST_BYTES) settle(UNKNOWN)
    })
    client.once('end', () => {
      // The word is on its way before the connection is taken down.
      void sent.promise.then(() => settle(readHolder(said)))
    })
    client.once('error', () => {
      // Whoever has answered is there, also when it did not wait for the word.
      settle(said === '' ? null : readHolder(said))
    })
  })
}

function readHolder(said: string): FolderHeld {
  const [, heldBy, window] = HOLDER.exec(said) ?? []
  return heldBy === undefined ? UNKNOWN : { heldBy, hasWindow: window !== undefined }
}

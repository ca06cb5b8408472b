import { type ChildProcess, type ExecFileOptions, execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createServer } from 'node:net'

export interface StartPostgresOptions {
  /** Folder of the database cluster, created when missing; default: a temporary folder that is removed on stop. */
  readonly folder?: string
  /** TCP port on 127.0.0.1, with a password; 0: a free port. Default: only a Unix socket. */
  readonly port?: number
  /** PostgreSQL's fsync. False is faster, but a power cut may lose commits. Default: true, as in a store. */
  readonly fsync?: boolean
}

export interface StartedPostgres {
  readonly folder: string
  url(database: string): string
  /** Returns the TCP address of a database, with the password. Throws if PostgreSQL has no port. */
  tcpUrl(database: string): string
  pid(): number
  kill(): Promise<void>
  ended(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

const SUPERUSER = 'milepost'
/**
 * Shell script that runs PostgreSQL until it ends or the parent process ends, which closes the pipe. Files of a killed
 * PostgreSQL stay for a restart.
 */
const WATCHER = `
exec 3<&0
"$program" "$@" </dev/null &
server=$!
(read -r _ <&3; kill -s "$signal" $server) 2>/dev/null &
wait $server
[ $? -ge 128 ] || [ -z "$temporary" ] || rm -rf "$temporary"
`
const READY = 'database system is ready to accept connections'
/** Error at a start while processes of the killed PostgreSQL still hold its shared memory; the start is retried. */
const STILL_THERE = /pre-existing shared memory block|lock file "postmaster.pid" already exists/
const MAX_TRIES = 50
const TRY_MS = 100

/**
 * Starts the installed PostgreSQL on a folder and a Unix socket; resolves when it accepts connections. PostgreSQL ends
 * with this process, even when this process is killed. As root, PostgreSQL runs as an unprivileged user. Rejects when
 * PostgreSQL is missing or does not start.
 */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<StartedPostgres> {
  const { folder, port, fsync = true } = options
  const bin = findPostgres()
  if (bin === null) throw new Error(NO_POSTGRES)
  const user = userOfPostgres()
  const give = (place: string): string => {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(place, user.uid, user.gid)
    return place
  }
  // Socket paths are limited to about 100 bytes, so the socket is never in the given folder.
  const temporary = give(mkdtempSync(path.join(tmpdir(), 'milepost-pg-')))
  const home = folder ?? temporary
  if (!existsSync(home)) {
    mkdirSync(path.dirname(home), { recursive: true })
    mkdirSync(home, { mode: 0o700 })
    give(home)
  }
  const cluster = path.join(home, 'cluster')
  const passwordFile = path.join(home, 'password')
  const runAs = { ...user, cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C' } }
  if (!existsSync(path.join(cluster, 'PG_VERSION'))) await makeCluster(bin, home, fsync, give, runAs)
  const tcpPort = port === 0 ? await freePort() : port
  const settings = settingsOf(temporary, tcpPort, fsync)
  const args = ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const env = {
    ...runAs.env,
    program: path.join(bin, 'postgres'),
    temporary,
    // PostgreSQL shuts down immediately if its data is temporary; otherwise in its fast mode, which first writes a
    // checkpoint.
    signal: folder === undefined ? 'QUIT' : 'INT',
  }
  const start = async (): Promise<ChildProcess> => {
    // Creates the temporary folder again: a PostgreSQL that stopped normally has removed it.
    if (!existsSync(temporary)) {
      mkdirSync(temporary, { mode: 0o700 })
      give(temporary)
    }
    const started = await untilReady(() =>
      // PostgreSQL gets a session of its own, so that Ctrl-C does not end it before its clients.
      spawn('/bin/sh', ['-c', WATCHER, 'sh', ...args], {
        ...runAs,
        env,
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe'],
      }),
    )
    // Ends the waiting subshell of the watcher now: later it would signal PostgreSQL's process id, which another
    // process may have by then.
    started.once('exit', () => started.stdin?.destroy())
    return started
  }
  const hasEnded = (): boolean => watcher.exitCode !== null || watcher.signalCode !== null
  let watcher = await start()
  const pid = (): number => Number(readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  return {
    folder: cluster,
    url: (database) => `postgres:///${database}?host=${temporary}&port=${settings.port}&user=${SUPERUSER}`,
    tcpUrl(database) {
      if (tcpPort === undefined) throw new Error('no port was asked for')
      const password = readFileSync(passwordFile, 'utf8')
      return `postgres://${SUPERUSER}:${password}@127.0.0.1:${tcpPort}/${database}`
    },
    pid,
    async kill() {
      const gone = once(watcher, 'exit')
      process.kill(pid(), 'SIGKILL')
      await gone
    },
    async ended() {
      if (!hasEnded()) await once(watcher, 'exit')
    },
    async restart() {
      watcher = await start()
    },
    async stop() {
      if (!hasEnded()) {
        const gone = once(watcher, 'exit')
        watcher.stdin?.end()
        await gone
      }
      rmSync(temporary, { recursive: true, force: true })
    },
  }
}

const settingsOf = (sockets: string, tcpPort: number | undefined, fsync: boolean) => ({
  unix_socket_directories: sockets,
  unix_socket_permissions: '0700',
  listen_addresses: tcpPort === undefined ? '' : '127.0.0.1',
  port: String(tcpPort ?? 5432),
  shared_buffers: '32MB',
  max_connections: '200',
  ...(fsync ? {} : { fsync: 'off', full_page_writes: 'off' }),
})

async function makeCluster(
  bin: string,
  home: string,
  fsync: boolean,
  give: (place: string) => string,
  runAs: ExecFileOptions,
): Promise<void> {
  const passwordFile = path.join(home, 'password')
  writeFileSync(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 })
  const args = ['-D', path.join(home, 'cluster'), '-U', SUPERUSER, '--pwfile', passwordFile]
  const access = ['--auth-local', 'trust', '--auth-host', 'scram-sha-256']
  give(passwordFile)
  await promisify(execFile)(
    path.join(bin, 'initdb'),
    [...args, ...access, '--encoding', 'UTF8', '--locale', 'C', ...(fsync ? [] : ['--no-sync'])],
    runAs,
  )
}

async function untilReady(run: () => ChildProcess): Promise<ChildProcess> {
  for (let tries = 1; ; tries += 1) {
    const watcher = run()
    const output = await startupError(watcher)
    if (output === null) return watcher
    if (tries === MAX_TRIES || !STILL_THERE.test(output)) throw new Error(`PostgreSQL did not start: ${output}`)
    await pause(TRY_MS)
  }
}

function startupError(watcher: ChildProcess): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const output: string[] = []
  watcher.on('error', reject)
  watcher.on('close', () => resolve(output.join('\n')))
  if (watcher.stderr === null) throw new Error('its output is not read')
  // Read all output: a full pipe would block PostgreSQL.
  createInterface(watcher.stderr).on('line', (line) => {
    if (line.includes(READY)) resolve(null)
    output.push(line)
    output.splice(0, output.length - 20)
  })
  return promise
}

const OLDEST = 15
const DEBIAN = '/usr/lib/postgresql'

export const NO_POSTGRES = `PostgreSQL ${OLDEST} or newer is not installed (npm run setup)`

const runs = (program: string, ...args: readonly string[]): string | null => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

function* folders(): Generator<string> {
  const reported = runs('pg_config', '--bindir')
  if (reported !== null) yield reported
  // Debian does not add PostgreSQL's programs to PATH.
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
  for (const version of versions.toSorted((one, other) => Number(other) - Number(one)))
    yield path.join(DEBIAN, version, 'bin')
  yield* (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
}

/** Returns the program folder of the first PostgreSQL that is recent enough; null if none is found. */
export function findPostgres(): string | null {
  for (const folder of folders()) {
    if (!['postgres', 'initdb'].every((name) => existsSync(path.join(folder, name)))) continue
    const [, version] = /\(PostgreSQL\) (\d+)/.exec(runs(path.join(folder, 'postgres'), '--version') ?? '') ?? []
    if (Number(version) >= OLDEST) return folder
  }
  return null
}

const UNPRIVILEGED_USERS = ['postgres', 'nobody'] as const

/** Returns the user that runs PostgreSQL, which refuses to run as root. Empty: the current user. */
export function userOfPostgres(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  for (const name of UNPRIVILEGED_USERS) {
    const [uid, gid] = [runs('id', '-u', name), runs('id', '-g', name)]
    if (uid !== null && gid !== null) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(`PostgreSQL does not run as root, and none of these users exists: ${UNPRIVILEGED_USERS.join(', ')}.`)
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

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
  /** Where the cluster is, or is made; default: a temporary one, which goes when it is stopped. */
  readonly folder?: string
  /** Listens on 127.0.0.1 too; 0: on a free port. Whoever comes that way needs the password. */
  readonly port?: number
  /** False: faster, and a power cut may lose what was committed. Default: true, as a store would have it. */
  readonly fsync?: boolean
}

export interface StartedPostgres {
  /** Where its files are. */
  readonly folder: string
  /** The address of one of its databases, as its superuser, by the Unix socket. */
  url(database: string): string
  /** The same by TCP, with the password. Throws where no port was asked for. */
  tcpUrl(database: string): string
  /** Process id of the server. Throws where it does not run. */
  pid(): number
  /** Ends it as a power cut would; resolves when it is gone. */
  kill(): Promise<void>
  /** Resolves when it has ended, however that was. */
  ended(): Promise<void>
  /** Starts it again after it ended. */
  restart(): Promise<void>
  /** Ends it; a temporary folder is removed. */
  stop(): Promise<void>
}

const SUPERUSER = 'milepost'
/**
 * Runs the server until it ends, or until whoever started it is gone, however that ended: the pipe closes with it. What
 * a kill left stays for a restart.
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
/** Processes of a server that was killed hold its memory for a moment. */
const STILL_THERE = /pre-existing shared memory block|lock file "postmaster.pid" already exists/
const MOST_TRIES = 50
const TRY_MS = 100

/**
 * Starts the PostgreSQL of this machine on a folder, reached by a Unix socket; resolves once it takes connections. It
 * ends with this process, also where that is killed. As root it runs as the user postgres or nobody. Rejects in plain
 * words where there is none, or it does not start.
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
  // The name of a socket is a hundred bytes long at most: it is never in the folder that somebody asked for.
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
    // At once, or in order: what is temporary needs no leave.
    signal: folder === undefined ? 'QUIT' : 'INT',
  }
  const start = async (): Promise<ChildProcess> => {
    // It goes with a server that ends in order.
    if (!existsSync(temporary)) {
      mkdirSync(temporary, { mode: 0o700 })
      give(temporary)
    }
    const started = await untilReady(() =>
      // A session of its own: Ctrl-C ends what uses the database first.
      spawn('/bin/sh', ['-c', WATCHER, 'sh', ...args], {
        ...runAs,
        env,
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe'],
      }),
    )
    // Nothing is left of it that would end another process under its number.
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

/** Makes the cluster in `home`, with a password of its own for connections over TCP. */
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

/** Answers the watcher of a server that takes connections. */
async function untilReady(run: () => ChildProcess): Promise<ChildProcess> {
  for (let tries = 1; ; tries += 1) {
    const watcher = run()
    const said = await firstWords(watcher)
    if (said === null) return watcher
    if (tries === MOST_TRIES || !STILL_THERE.test(said)) throw new Error(`PostgreSQL did not start: ${said}`)
    await pause(TRY_MS)
  }
}

/** Null once it is ready; what it said where it ended before. */
function firstWords(watcher: ChildProcess): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const said: string[] = []
  watcher.on('error', reject)
  watcher.on('close', () => resolve(said.join('\n')))
  if (watcher.stderr === null) throw new Error('its words are not read')
  // Read to the end: a pipe that is full would hold the server up.
  createInterface(watcher.stderr).on('line', (line) => {
    if (line.includes(READY)) resolve(null)
    said.push(line)
    said.splice(0, said.length - 20)
  })
  return promise
}

const OLDEST = 15
const DEBIAN = '/usr/lib/postgresql'

/** Words for where there is none. */
export const NO_POSTGRES = `PostgreSQL ${OLDEST} or newer is not installed (npm run setup)`

const runs = (program: string, ...args: readonly string[]): string | null => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

function* folders(): Generator<string> {
  const told = runs('pg_config', '--bindir')
  if (told !== null) yield told
  // Debian puts them on nobody’s PATH.
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
  for (const version of versions.toSorted((one, other) => Number(other) - Number(one)))
    yield path.join(DEBIAN, version, 'bin')
  yield* (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
}

/** The folder of the first PostgreSQL of this machine that is new enough; null: there is none. */
export function findPostgres(): string | null {
  for (const folder of folders()) {
    if (!['postgres', 'initdb'].every((name) => existsSync(path.join(folder, name)))) continue
    const [, version] = /\(PostgreSQL\) (\d+)/.exec(runs(path.join(folder, 'postgres'), '--version') ?? '') ?? []
    if (Number(version) >= OLDEST) return folder
  }
  return null
}

/** As whom it runs: it refuses to be root. Nothing: as whoever runs this. */
export function userOfPostgres(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [runs('id', '-u', name), runs('id', '-g', name)]
    if (uid !== null && gid !== null) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.')
}

/** A TCP port of this machine that nobody has just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Whether nobody has this port just now. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

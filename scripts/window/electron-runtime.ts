import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withoutNodeMode } from '../../packages/supervisor/shell/shell-options.ts'
import { downloadElectron, type NotDownloaded } from './electron-download.ts'
import { electronSupport, type PinnedMajor } from '../../contracts/core/electron-support.ts'

export type ElectronRuntime = { readonly program: string } | { readonly missing: string }

type Environment = Readonly<Record<string, string | undefined>>
export interface RuntimeSearch {
  /** Folder of the electron package. */
  readonly packageFolder: string
  /** Remembers a failed download, so that the next start does not wait for it again. */
  readonly memoryFile: string
  /** For the archive, and what there is of it while it is fetched. */
  readonly cacheFolder: string
  readonly now: () => number
  readonly log: (line: string) => void
  /** How long the download's host may be silent; milliseconds. */
  readonly silenceMs?: number
  readonly installMs?: number
  readonly env?: Environment
  /** Gives it up; the next try goes on with what there is. */
  readonly signal?: AbortSignal
}

const DAY_MS = 24 * 60 * 60 * 1000
const DOWNLOADS = 'https://github.com/electron/electron/releases/download/'

/** The Electron program when its runtime is here, without asking the network. */
export function findElectron({
  packageFolder,
  env = process.env,
}: Pick<RuntimeSearch, 'packageFolder' | 'env'>): ElectronRuntime {
  const program = installedProgram(packageFolder, env)
  return program === null ? { missing: 'it has not been fetched' } : { program }
}

/**
 * The Electron program, fetched once where it can be had. Electron's package brings no runtime, about 110 MB. A
 * download that broke off is gone on with; a host that does not answer is found out within seconds and remembered for a
 * day.
 */
export async function fetchElectron(search: RuntimeSearch): Promise<ElectronRuntime> {
  const env = search.env ?? process.env
  const installed = installedProgram(search.packageFolder, env)
  if (installed !== null) return { program: installed }
  if (!existsSync(path.join(search.packageFolder, 'install.js')))
    return { missing: 'the electron package is not installed' }
  const mirror = env['npm_config_electron_mirror'] ?? env['ELECTRON_MIRROR'] ?? DOWNLOADS
  const remembered = recall(search, mirror)
  if (remembered !== null) return { missing: remembered }
  const { reason, again } = await install(search, mirror, env)
  const fetched = installedProgram(search.packageFolder, env)
  if (fetched !== null) {
    rmSync(search.memoryFile, { force: true })
    rmSync(search.cacheFolder, { recursive: true, force: true })
    return { program: fetched }
  }
  if (!again) {
    mkdirSync(path.dirname(search.memoryFile), { recursive: true })
    writeFileSync(search.memoryFile, JSON.stringify({ failedAt: search.now(), mirror, missing: reason }))
  }
  return { missing: reason }
}

/** The program's path when the runtime is complete: the package writes `path.txt` last. */
function installedProgram(packageFolder: string, env: Environment): string | null {
  const override = env['ELECTRON_OVERRIDE_DIST_PATH']
  const pathFile = path.join(packageFolder, 'path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : null
  if (override === undefined && name === null) return null
  const program = path.join(
    override ?? path.join(packageFolder, 'dist'),
    name ?? (process.platform === 'win32' ? 'electron.exe' : 'electron'),
  )
  return existsSync(program) ? program : null
}

function recall({ memoryFile, now }: RuntimeSearch, mirror: string): string | null {
  try {
    const memory = JSON.parse(readFileSync(memoryFile, 'utf8')) as {
      failedAt?: unknown
      mirror?: unknown
      missing?: unknown
    }
    // Another address is another try.
    if (typeof memory.missing !== 'string' || memory.mirror !== mirror) return null
    const age = now() - Number(memory.failedAt)
    // A clock that was set back makes the age negative: then the memory is worth nothing.
    return age >= 0 && age < DAY_MS ? `${memory.missing}, and the next try is due a day after the last` : null
  } catch {
    return null
  }
}

/** Fetches the archive, and has the package's own installer check and unpack it. */
async function install(search: RuntimeSearch, mirror: string, env: Environment): Promise<NotDownloaded> {
  const { packageFolder, cacheFolder, log, signal, silenceMs = 20_000, installMs = 180_000 } = search
  const downloaded = await downloadElectron({ packageFolder, cacheFolder, mirror, log, silenceMs, signal })
  if ('reason' in downloaded) return downloaded
  return new Promise((resolve) => {
    const failed = (reason: string): void => {
      clearTimeout(timer)
      resolve({ reason, again: false })
    }
    const child = spawn(process.execPath, [path.join(packageFolder, 'install.js')], {
      stdio: 'ignore',
      env: { ...withoutNodeMode(process.env), ...env, electron_config_cache: cacheFolder },
      ...(signal === undefined ? {} : { signal }),
    })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      failed('it could not be unpacked in time')
    }, installMs)
    child.once('error', () => failed('its installer could not be started'))
    child.once('exit', (code) => {
      failed(code === 0 ? 'its download left no runtime behind' : 'its download could not be unpacked')
    })
  })
}

/**
 * What whoever makes a package is told from four weeks before the end of Electron's support on, or null. A warning and
 * no more: the same tree builds the same package on every day.
 */
export function supportWarning(now: Date, pinned?: PinnedMajor): string | null {
  const { major, until, state } = electronSupport(now, pinned)
  if (state === 'supported') return null
  const when =
    state === 'ends-soon' ? `gets no more fixes from about ${until} on` : `has had no more fixes since about ${until}`
  return `Electron ${major} ${when}. Pin a newer one before the next package goes to a store (docs/shell-security.md).`
}

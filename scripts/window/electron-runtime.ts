import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withoutNodeMode } from '../../packages/supervisor/shell/shell-options.ts'
import { downloadElectron, type NotDownloaded } from './electron-download.ts'
import { electronSupport, type PinnedMajor } from '../../contracts/core/electron-support.ts'

export type ElectronRuntime = { readonly program: string } | { readonly missing: string }

type Environment = Readonly<Record<string, string | undefined>>
export interface RuntimeSearch {
  readonly packageFolder: string
  /** File that records a failed download, so that the next start does not wait for it again. */
  readonly memoryFile: string
  readonly cacheFolder: string
  readonly now: () => number
  readonly log: (line: string) => void
  readonly silenceMs?: number
  readonly installMs?: number
  readonly env?: Environment
  readonly signal?: AbortSignal
}

const DAY_MS = 24 * 60 * 60 * 1000
const DOWNLOADS = 'https://github.com/electron/electron/releases/download/'

export function findElectron({
  packageFolder,
  env = process.env,
}: Pick<RuntimeSearch, 'packageFolder' | 'env'>): ElectronRuntime {
  const program = installedProgram(packageFolder, env)
  return program === null ? { missing: 'it has not been downloaded' } : { program }
}

/**
 * Returns the Electron program and downloads its runtime if needed (about 110 MB, not in the npm package). An
 * interrupted download is resumed; an unreachable host is detected within seconds and not tried again for a day.
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

/** Returns the path of the program if the runtime is complete: its installer writes `path.txt` last. */
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
    // Ignores a stored failure of another mirror: this mirror may work.
    if (typeof memory.missing !== 'string' || memory.mirror !== mirror) return null
    const age = now() - Number(memory.failedAt)
    // If the clock was set back, the age is negative and the stored failure is ignored.
    return age >= 0 && age < DAY_MS ? `${memory.missing}, and the next try is a day after the last` : null
  } catch {
    return null
  }
}

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
      failed(code === 0 ? 'its installer left no runtime' : 'its download could not be unpacked')
    })
  })
}

/**
 * Returns a warning for package builds from four weeks before the end of Electron’s support on, else null. It never
 * fails the build, so that the same tree builds the same package on every day.
 */
export function supportWarning(now: Date, pinned?: PinnedMajor): string | null {
  const { major, until, state } = electronSupport(now, pinned)
  if (state === 'supported') return null
  const when =
    state === 'ends-soon' ? `gets no more fixes from about ${until} on` : `has had no more fixes since about ${until}`
  return `Electron ${major} ${when}. Pin a newer version before the next package for a store (docs/shell-security.md).`
}

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export type ElectronRuntime = { readonly program: string } | { readonly missing: string }

export interface RuntimeSearch {
  /** Folder of the electron package. */
  readonly packageFolder: string
  /** Remembers a failed download, so that the next start does not wait for it again. */
  readonly memoryFile: string
  readonly now: () => number
  readonly say: (line: string) => void
  /** Asks whether the download's host answers; milliseconds. */
  readonly probeMs?: number
  readonly downloadMs?: number
  readonly env?: Readonly<Record<string, string | undefined>>
}

const DAY_MS = 24 * 60 * 60 * 1000
const DOWNLOADS = 'https://github.com/electron/electron/releases/download/'

/**
 * The Electron program, fetched once where it can be had. Electron's package brings no runtime: it downloads about
 * 110 MB at its first use. A host that does not answer is found out within seconds and remembered for a day.
 */
export async function findElectron(search: RuntimeSearch): Promise<ElectronRuntime> {
  const env = search.env ?? process.env
  const installed = installedProgram(search.packageFolder, env)
  if (installed !== null) return { program: installed }
  if (!existsSync(path.join(search.packageFolder, 'install.js'))) return { missing: 'the electron package is not installed' }
  const remembered = recall(search)
  if (remembered !== null) return { missing: remembered }
  const reason = await fetchRuntime(search, env)
  const fetched = installedProgram(search.packageFolder, env)
  if (fetched !== null) {
    rmSync(search.memoryFile, { force: true })
    return { program: fetched }
  }
  const missing = reason ?? 'its download left no runtime behind'
  mkdirSync(path.dirname(search.memoryFile), { recursive: true })
  writeFileSync(search.memoryFile, JSON.stringify({ failedAt: search.now(), missing }))
  return { missing }
}

/** The program's path when the runtime is complete: the package writes `path.txt` last. */
function installedProgram(packageFolder: string, env: Readonly<Record<string, string | undefined>>): string | null {
  const override = env['ELECTRON_OVERRIDE_DIST_PATH']
  const pathFile = path.join(packageFolder, 'path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : null
  if (override === undefined && name === null) return null
  const program = path.join(override ?? path.join(packageFolder, 'dist'), name ?? (process.platform === 'win32' ? 'electron.exe' : 'electron'))
  return existsSync(program) ? program : null
}

function recall({ memoryFile, now }: RuntimeSearch): string | null {
  try {
    const memory: unknown = JSON.parse(readFileSync(memoryFile, 'utf8'))
    if (typeof memory !== 'object' || memory === null || !('failedAt' in memory) || !('missing' in memory)) return null
    const age = now() - Number(memory.failedAt)
    // A clock that was set back makes the age negative: then the memory is worth nothing.
    return age >= 0 && age < DAY_MS ? `${String(memory.missing)}, and the next try is due a day after the last` : null
  } catch {
    return null
  }
}

async function fetchRuntime(search: RuntimeSearch, env: Readonly<Record<string, string | undefined>>): Promise<string | null> {
  const host = env['npm_config_electron_mirror'] ?? env['ELECTRON_MIRROR'] ?? DOWNLOADS
  try {
    await fetch(host, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(search.probeMs ?? 4_000) })
  } catch {
    return 'its download host does not answer from here'
  }
  search.say('Fetching the Electron runtime, once (about 110 MB)…')
  const seconds = (search.downloadMs ?? 180_000) / 1000
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(search.packageFolder, 'install.js')], { stdio: ['ignore', 'ignore', 'ignore'], env: { ...process.env, ...env } })
    const timer = setTimeout(() => { child.kill('SIGKILL'); resolve(`its download took more than ${seconds} s`) }, seconds * 1000)
    child.once('error', () => { clearTimeout(timer); resolve('its download could not be started') })
    child.once('exit', (code) => { clearTimeout(timer); resolve(code === 0 ? null : 'its download failed') })
  })
}

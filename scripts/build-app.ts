import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FolderLock, lockFolder } from '../packages/supervisor/folder-lock.ts'
import { bundleApp, bundleCrashProgram } from './bundle-app.ts'
import { filesUnder, sourceHash } from './source-hash.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts: string[]): string => path.join(root, ...parts)

const MODULES = [
  'contracts',
  'backend',
  'hardware',
  'electron',
  'packages/central',
  'packages/delivery',
  'packages/supervisor',
] as const
/** Paths whose changes make a build stale. package.json is one, because it has the version of the program. */
export const BUILT_FROM = [
  ...MODULES,
  'scripts/build-app.ts',
  'scripts/bundle-app.ts',
  'package.json',
  'package-lock.json',
] as const
const READ_AT_RUN_TIME = /\.(sql|json|ya?ml|csv|ttf)$|OFL\.txt$/

interface Build {
  readonly folder: string
  readonly bundle: (root: string, out: string) => Promise<void>
  readonly done: string
}

export const APP: Build = { folder: 'app', bundle: bundleApp, done: 'Built the lane’s programs into build/app.' }
export const CRASH_PROGRAM: Build = {
  folder: 'crash-program',
  bundle: bundleCrashProgram,
  done: 'Built the program of the crash tests into build/crash-program.',
}

/**
 * Bundles programs into a folder of build/. Rejects if a file cannot be read or resolved; the earlier build is removed
 * by then. It does not check types.
 */
export async function buildPrograms(
  what: Build,
  { onlyWhenStale, log }: { readonly onlyWhenStale: boolean; readonly log: (line: string) => void },
): Promise<void> {
  const lock = await waitForFolder(at('build', '.stamps'))
  try {
    await build(what, onlyWhenStale, log)
  } finally {
    await lock.release()
  }
}

async function waitForFolder(folder: string): Promise<FolderLock> {
  for (;;) {
    const lock = await lockFolder(folder)
    if (!('heldBy' in lock)) return lock
    await new Promise((resolve) => {
      setTimeout(resolve, 200)
    })
  }
}

async function build(what: Build, onlyWhenStale: boolean, log: (line: string) => void): Promise<void> {
  const out = at('build', what.folder)
  const stampFile = at('build', '.stamps', what.folder)
  const wanted = sourceHash(root, BUILT_FROM)
  const current = existsSync(stampFile) && existsSync(out) ? readFileSync(stampFile, 'utf8') : ''
  if (onlyWhenStale && current === wanted) return
  rmSync(stampFile, { force: true })
  rmSync(out, { recursive: true, force: true })
  await what.bundle(root, out)
  for (const module of MODULES) {
    for (const file of filesUnder(at(module)).filter(
      (name) => READ_AT_RUN_TIME.test(name) && !/(tsconfig|package)\.json$/.test(name),
    )) {
      cpSync(file, path.join(out, path.relative(root, file)))
    }
  }
  const { name, version } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { name: string; version: string }
  // The main file that Electron runs when it is started on this folder without a package.
  writeFileSync(
    path.join(out, 'package.json'),
    `${JSON.stringify({ name, version, type: 'module', main: 'electron/main.js' }, null, 2)}\n`,
  )
  mkdirSync(path.dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, wanted)
  log(what.done)
}

/** Runs a program of node_modules with inherited output. Rejects if it fails. */
export function runNode(
  name: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${name} failed (${signal ?? `exit code ${code}`})`)),
    )
  })
}

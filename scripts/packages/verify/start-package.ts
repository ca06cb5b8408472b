import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { extractAll } from '@electron/asar'
import type { PackageManifest } from '../../../delivery/package-manifest.ts'
import { readOpenAddress, REPORTS_WANTED } from '../../../electron/reports.ts'
import { filesUnder } from '../../source-hash.ts'
import { sellOne } from './training-sale.ts'

/** Far more than a start takes: against one that never comes. */
const START_MS = 120_000

export interface StartOrder {
  /** Where it was unpacked to. */
  readonly folder: string
  readonly manifest: PackageManifest
  /** The text of its store's profile. */
  readonly profile: string
  /** A data folder of its own. */
  readonly data: string
}

/**
 * Starts an unpacked package as its lane would, without a window: in training it sells something, in production it says
 * whose lane it is. Answers what was seen; rejects with what went wrong and what the program said.
 */
export async function startPackage({ folder, manifest, profile, data }: StartOrder): Promise<string> {
  const { program, args } = programOf(folder, manifest)
  const child = spawn(program, [...args, 'start', '--no-window', '--data', data], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // The lane has no secret yet; production asks for one before anything else.
    env: { ...process.env, ...REPORTS_WANTED, MILEPOST_CLIENT_SECRET: 'made-up for this start' },
  })
  const said: string[] = []
  const ended = once(child, 'close')
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
  try {
    const link = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not ready in ${START_MS / 1_000} s`)), START_MS)
      createInterface({ input: child.stdout }).on('line', (line) => {
        said.push(line)
        const found = readOpenAddress(line)
        if (found === null) return
        clearTimeout(timer)
        resolve(found)
      })
      ended.then(
        ([code]) => {
          clearTimeout(timer)
          reject(new Error(`it ended with exit code ${code}`))
        },
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      )
    })
    return await lookAt(link, manifest, profile)
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${said.join('\n')}`, { cause: error })
  } finally {
    if (child.exitCode === null) child.kill('SIGTERM')
    await ended.catch(() => null)
  }
}

async function lookAt(link: string, { store, lanes, mode }: PackageManifest, profile: string): Promise<string> {
  const url = new URL(link).origin
  const answer = await fetch(`${url}/api/terminal`)
  const text = await answer.text()
  const [lane] = lanes
  if (!answer.ok || !text.includes(JSON.stringify(store.id)))
    throw new Error(`/api/terminal: ${answer.status} ${text.slice(0, 400)}`)
  if (mode === 'production') return `started as lane ${lane} of store ${store.id}`
  return `started as lane ${lane} of store ${store.id}; ${await sellOne(url, link, profile)}`
}

/**
 * The package's own starter; for Electron, whose runtime may be none, its archive unpacked in its slot, by the Node
 * that runs this.
 */
function programOf(folder: string, { platform }: PackageManifest): { program: string; args: string[] } {
  if (platform === 'linux-x64-browser') return { program: path.join(folder, 'milepost'), args: [] }
  const slot = path.join(folder, 'slots', 'a')
  const archive = filesUnder(slot).find((file) => path.basename(file) === 'app.asar')
  if (archive === undefined) throw new Error('there is no app.asar')
  const unpacked = path.join(folder, 'unpacked.new')
  extractAll(archive, unpacked)
  const inSlot = path.join(slot, 'unpacked')
  mkdirSync(slot, { recursive: true })
  renameSync(unpacked, inSlot)
  return { program: process.execPath, args: [path.join(inSlot, 'launcher', 'main.js')] }
}

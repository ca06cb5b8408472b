import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Platform } from './formats.ts'
import { SlotName } from './slots-state.ts'

/** Where an installed program stands: `ROOT/slots/a/…`. */
export interface ProgramPlace {
  readonly root: string
  readonly slot: SlotName
}

/** From anywhere in a program; null where it stands in no slot, as in a checkout. */
export function placeOf(folder: string): ProgramPlace | null {
  for (let at = path.resolve(folder); path.dirname(at) !== at; at = path.dirname(at)) {
    const slot = SlotName.safeParse(path.basename(at))
    const slots = path.dirname(at)
    if (slot.success && path.basename(slots) === 'slots') return { root: path.dirname(slots), slot: slot.data }
  }
  return null
}

const PROGRAMS: Readonly<Record<Platform, { readonly program: string; readonly args: readonly string[] }>> = {
  'linux-x64': { program: 'milepost', args: [] },
  'win-x64': { program: 'Milepost.exe', args: [] },
  'mac-arm64': { program: 'Milepost.app/Contents/MacOS/Milepost', args: [] },
  'mac-x64': { program: 'Milepost.app/Contents/MacOS/Milepost', args: [] },
  'linux-x64-browser': { program: 'bin/node', args: ['launcher/main.js'] },
}

/**
 * How the program in a slot is started: the same places in every version, since the version before starts it. One
 * without a Node of its own runs in that of whoever starts it.
 */
export function startOf(
  slotFolder: string,
  platform: Platform,
): { readonly file: string; readonly args: readonly string[] } {
  const { program, args } = PROGRAMS[platform]
  const file = path.join(slotFolder, ...program.split('/'))
  const isOurNode = platform === 'linux-x64-browser' && !existsSync(file)
  return {
    file: isOurNode ? process.execPath : file,
    args: args.map((arg) => path.join(slotFolder, ...arg.split('/'))),
  }
}

/** The platform of the program that runs. */
export function ownPlatform(isElectron: boolean): Platform | null {
  const here = `${process.platform}-${process.arch}`
  if (!isElectron) return here === 'linux-x64' ? 'linux-x64-browser' : null
  const platforms = { 'linux-x64': 'linux-x64', 'win32-x64': 'win-x64' } as const
  if (here === 'darwin-arm64') return 'mac-arm64'
  if (here === 'darwin-x64') return 'mac-x64'
  return Object.entries(platforms).find(([name]) => name === here)?.[1] ?? null
}

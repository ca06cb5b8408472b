import { existsSync } from 'node:fs'
import path from 'node:path'
import { Platform } from './formats.ts'
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

/** What the program in a slot was made for, by what stands there; null: nothing that this machine could run. */
export function platformIn(slotFolder: string): Platform | null {
  const stands = (file: string): boolean => existsSync(path.join(slotFolder, ...file.split('/')))
  const fitting = Platform.options.filter((platform) => {
    const { program, args } = PROGRAMS[platform]
    return stands(args[0] ?? program)
  })
  const isMac = fitting.includes('mac-x64')
  if (isMac) return process.arch === 'arm64' ? 'mac-arm64' : 'mac-x64'
  return fitting[0] ?? null
}

import path from 'node:path'
import { flipFuses, FuseState, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses'
import type { Configuration } from 'electron-builder'

/** The fuses of electron-builder.yml, by their names there. */
export type FuseSettings = Omit<NonNullable<Configuration['electronFuses']>, 'resetAdHocDarwinSignature'>

const PLACE_IN_WIRE: Readonly<Record<keyof FuseSettings, FuseV1Options>> = {
  runAsNode: FuseV1Options.RunAsNode,
  enableCookieEncryption: FuseV1Options.EnableCookieEncryption,
  enableNodeOptionsEnvironmentVariable: FuseV1Options.EnableNodeOptionsEnvironmentVariable,
  enableNodeCliInspectArguments: FuseV1Options.EnableNodeCliInspectArguments,
  enableEmbeddedAsarIntegrityValidation: FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
  onlyLoadAppFromAsar: FuseV1Options.OnlyLoadAppFromAsar,
  loadBrowserProcessSpecificV8Snapshot: FuseV1Options.LoadBrowserProcessSpecificV8Snapshot,
  grantFileProtocolExtraPrivileges: FuseV1Options.GrantFileProtocolExtraPrivileges,
}
/** Every fuse that electron-builder can set. */
export const FUSE_NAMES: readonly string[] = Object.keys(PLACE_IN_WIRE)

/**
 * Reads the fuses back out of a built program and names those that are not as they were set, with what was found.
 * Rejects when the file has no fuses.
 */
export async function fuseDifferences(program: string, wanted: FuseSettings): Promise<string[]> {
  const wire = await getCurrentFuseWire(program)
  return Object.entries(PLACE_IN_WIRE).flatMap(([name, place]) => {
    const set = Object.entries(wanted).find(([setting]) => setting === name)?.[1]
    const found = wire[place]
    if (typeof set !== 'boolean') return [`${name}: not set`]
    return found === (set ? FuseState.ENABLE : FuseState.DISABLE) ? [] : [`${name}: ${found ?? 'not there'}`]
  })
}

/** Sets the fuses of a program, as electron-builder does. Rejects when the file has none. */
export async function setFuses(program: string, wanted: FuseSettings): Promise<void> {
  const config = Object.entries(PLACE_IN_WIRE).flatMap(([name, place]) => {
    const set = Object.entries(wanted).find(([setting]) => setting === name)?.[1]
    return typeof set === 'boolean' ? [[place, set] as const] : []
  })
  await flipFuses(program, { version: FuseVersion.V1, ...Object.fromEntries(config) })
}

/** The fuses that can be set and that a runtime does not know, or knows no longer. Rejects when the file has none. */
export async function missingFuses(program: string): Promise<string[]> {
  const wire = await getCurrentFuseWire(program)
  return Object.entries(PLACE_IN_WIRE)
    .filter(([, place]) => wire[place] !== FuseState.ENABLE && wire[place] !== FuseState.DISABLE)
    .map(([name]) => name)
}

/** The program of a package, from where its archive lies; on macOS the bundle, in which the fuses are looked for. */
export function programBeside(archive: string, platform: NodeJS.Platform, settings: Configuration): string {
  const resources = path.dirname(archive)
  if (platform === 'darwin') return path.dirname(path.dirname(resources))
  const name =
    platform === 'win32' ? `${settings.productName}.exe` : (settings.linux?.executableName ?? `${settings.productName}`)
  return path.join(path.dirname(resources), name)
}

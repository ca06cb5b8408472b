import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StartOptions } from '../start-options.ts'
import { browserWindow, noWindow, type LaneWindow } from '../../packages/supervisor/launcher/open-window.ts'
import type { Translate } from '../../packages/supervisor/launcher/translators.ts'
import { findElectron } from './electron-runtime.ts'
import { sandboxProblem } from './electron-sandbox.ts'
import { rememberedFailure } from './electron-window.ts'

export const ELECTRON = fileURLToPath(new URL('../../node_modules/electron', import.meta.url))

export interface ElectronChoice {
  readonly kind: 'electron'
  readonly program: string
  readonly version: string
}
/** A window other than Electron’s. `fetchElectron`: download the missing runtime for the next start. */
export type OtherWindow = LaneWindow & { readonly fetchElectron: boolean }

/** Chooses the window of a start, without network access. */
export function chooseWindow(
  wanted: StartOptions['window'],
  dataFolder: string,
  translate: Translate,
): ElectronChoice | OtherWindow {
  const none = noWindow(wanted === 'none', translate)
  if (none !== null) return { kind: 'none', why: none, fetchElectron: false }
  if (wanted === 'browser') return withoutElectron(translate('window.browserAsked'), false, translate)
  const electron = findElectron({ packageFolder: ELECTRON })
  if ('missing' in electron)
    return withoutElectron(translate('window.electronMissing', { why: electron.missing }), true, translate)
  const version = versionOf()
  const inTheWay = sandboxProblem(electron.program) ?? rememberedFailure(dataFolder, version)
  if (inTheWay !== null && wanted !== 'electron')
    return withoutElectron(translate('window.electronFails', { version, why: inTheWay }), false, translate)
  return { kind: 'electron', program: electron.program, version }
}

export const withoutElectron = (why: string, fetchElectron: boolean, translate: Translate): OtherWindow => ({
  ...browserWindow(why, translate),
  fetchElectron,
})

function versionOf(): string {
  const { version } = JSON.parse(readFileSync(path.join(ELECTRON, 'package.json'), 'utf8')) as { version: string }
  return version
}

import { expect, it } from 'vitest'
import { webPreferences } from './web-preferences.ts'

const WALLS = ['contextIsolation', 'sandbox', 'webSecurity']
/** Each would let a page at Node, at the shell, or at more of Chromium than the screens need. */
const DOORS = [
  'allowRunningInsecureContent',
  'devTools',
  'experimentalFeatures',
  'navigateOnDragDrop',
  'nodeIntegration',
  'nodeIntegrationInSubFrames',
  'nodeIntegrationInWorker',
  'plugins',
  'spellcheck',
  'webviewTag',
]

it('says every wall of a page by name, and switches nothing of Chromium’s on', () => {
  const said = Object.entries(webPreferences(null))
  const namesOf = (value: boolean): string[] => said.flatMap(([name, is]) => (is === value ? [name] : [])).toSorted()
  expect(namesOf(true)).toEqual(WALLS)
  expect(namesOf(false)).toEqual(DOORS)
  expect(said).toHaveLength(WALLS.length + DOORS.length)
})

it('gives a page the shell’s own preload, or none', () => {
  expect(webPreferences('/app/electron/preload.cjs').preload).toBe('/app/electron/preload.cjs')
  expect('preload' in webPreferences(null)).toBe(false)
})

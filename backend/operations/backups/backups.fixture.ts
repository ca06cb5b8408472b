import { expect } from 'vitest'
import { Backups, type RestorePreview } from '../../../contracts/operations/backups.ts'
import type { TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

export const SAM = { staffId: 'sam', pin: '9999' }

export const list = async (here: TerminalHarness): Promise<Backups> =>
  Backups.parse((await here.call('GET', '/api/backups')).body)

export async function whenIdle(here: TerminalHarness): Promise<Backups> {
  for (;;) {
    const now = await list(here)
    if (now.work === null && now.copies.state !== 'copying') return now
  }
}

export async function backUp(here: TerminalHarness): Promise<string> {
  expect((await here.call('POST', '/api/backups')).status).toBe(200)
  const [newest] = (await whenIdle(here)).backups
  if (!newest) throw new Error('no backup was made')
  return newest.name
}

export async function preview(here: TerminalHarness, name: string): Promise<RestorePreview> {
  expect((await here.call('POST', `/api/backups/${name}/preview`)).status).toBe(200)
  const { preview: shown } = await whenIdle(here)
  if (!shown) throw new Error('no preview was made')
  return shown
}

export const restoreRequestOf = ({ covers }: RestorePreview, pin = SAM.pin) => ({
  covers,
  approval: { ...SAM, pin, covers },
})
export const countOf = ({ lost }: RestorePreview): Record<string, number> =>
  Object.fromEntries(lost.flatMap(({ kind, count }) => (count === 0 ? [] : [[kind, count]])))

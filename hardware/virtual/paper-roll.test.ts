import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadPaper } from './paper-roll.ts'

test('a printed paper is in its file before the virtual printer confirms it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-roll-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const notices: string[] = []
  const roll = await loadPaper(folder, (paper) => notices.push(paper))
  roll.mark({ kind: 'line', text: 'TOTAL  $1.00' })
  roll.mark({ kind: 'cut' })
  expect(readdirSync(folder)).toEqual(['0001.txt'])
  await roll.written()
  expect(notices).toEqual(['TOTAL  $1.00\n'])
})

test('waiting for the files of printed papers fails if one could not be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-roll-'))
  const roll = await loadPaper(folder, () => undefined)
  rmSync(folder, { recursive: true })
  roll.mark({ kind: 'cut' })
  await expect(roll.written()).rejects.toThrow('ENOENT')
})

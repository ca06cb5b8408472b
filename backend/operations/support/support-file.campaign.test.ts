import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { SupportFile } from '../../../contracts/operations/support.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { type Outcome, run } from '../../../packages/lab/rig/process.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const support = (args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  run([join(import.meta.dirname, 'support-file.ts'), ...args], {
    cwd: temporaryFolder(),
    env: { ...process.env, ...environment },
  })

test('the support CLI command makes the file of a lane while its terminal runs, and after it is closed', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const out = join(temporaryFolder(), 'support.json.gz')
  expect(await support(['--data', here.folder, '--out', out])).toEqual({
    code: 0,
    stdout: `Saved: ${out}. Send it to support.\n`,
    stderr: '',
  })
  const file = SupportFile.parse(JSON.parse(gunzipSync(readFileSync(out)).toString()))
  expect(file.program).toMatchObject({ lane: null, startedAt: null, schema: file.program.knownSchema })
  expect(file.devices).toBeNull()
  expect(statSync(out).mode & 0o077).toBe(0)
  await here.close()
  const again = await support(['--data', here.folder, '--out', out, '--language', 'fr'])
  expect(again).toMatchObject({ code: 2, stderr: `${out} existe déjà. Nommez un autre fichier.\n` })
  expect(await support(['--data', here.folder])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('support_unknown_lane-unknown_'),
  })
})

test('the support CLI command makes no file with a secret, and none if it cannot know the secrets', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  await here.close()
  const out = join(temporaryFolder(), 'support.json.gz')
  const sentinel = join(here.folder, 'terminal.json')
  const marked = JSON.parse(readFileSync(sentinel, 'utf8')) as object
  writeFileSync(
    sentinel,
    JSON.stringify({ ...marked, owner: { mode: 'production', store: 'top-secret-7', lane: '01' } }),
  )
  const holding = await support(['--data', here.folder, '--out', out], { MILEPOST_CLIENT_SECRET: 'top-secret-7' })
  expect(holding).toMatchObject({ code: 4, stdout: '' })
  expect(holding.stderr).toContain('No file: private content in “program”.')
  expect(holding.stderr).not.toContain('top-secret-7')

  writeFileSync(join(here.folder, 'client-secret.sealed'), 'sealed by a key store')
  expect((await support(['--data', here.folder, '--out', out])).stderr).toContain('milepost --support-file FILE')
  expect(existsSync(out)).toBe(false)
})

test('the support CLI command refuses invalid input with its usage', async () => {
  expect(await support([])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--data FOLDER is required.'),
  })
  expect((await support(['--date', 'x'])).stderr).toContain('Unknown option --date.')
  const folder = temporaryFolder()
  expect((await support(['--data', folder])).stderr).toContain(`${folder} has no terminal.`)
})

test('the support CLI command accepts spaces and accents in store ids, and reports an unwritable folder', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  await here.close()
  const sentinel = join(here.folder, 'terminal.json')
  const marked = JSON.parse(readFileSync(sentinel, 'utf8')) as object
  const owner = { mode: 'training', store: 'Épicerie "Chez Zoë" 12', lane: '01' }
  writeFileSync(sentinel, JSON.stringify({ ...marked, owner }))
  const made = await support(['--data', here.folder])
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('support_Epicerie.Chez.Zoe.12_lane-01_') })
  const missing = join(temporaryFolder(), 'none', 'support.json.gz')
  expect(await support(['--data', here.folder, '--out', missing])).toMatchObject({
    code: 2,
    stderr: `No file: ${missing} cannot be written. Choose another location, or free space.\n`,
  })
})

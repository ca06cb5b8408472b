import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../core/http/testing.ts'
import { TRAINING } from '../lane-check/checked-lane.fixture.ts'

test('on a hanging disk, the lane doctor prints its earlier findings, names the section that hangs, and ends', () => {
  const folder = temporaryFolder()
  // Opening a FIFO blocks until someone writes to it, as a hanging disk blocks.
  execFileSync('mkfifo', ['--mode=600', join(folder, 'seal.key')])
  const args = ['--data', folder, '--profile', TRAINING, '--language=fr']
  const doctor = join(import.meta.dirname, 'doctor.ts')
  const { status, stdout } = spawnSync(process.execPath, [...process.execArgv, doctor, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  expect(status).toBe(2)
  expect(stdout).toMatch(/OK +Profil du magasin/)
  expect(stdout).toMatch(/Problème +Clé[^\n]*Le disque ou l’appareil ne répond pas/)
  expect(stdout).toMatch(/1 problème/)
})

import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../core/http/testing.ts'
import { TRAINING } from '../lane-check/checked-lane.fixture.ts'

test('on a disk that hangs it ends in time, tells what was found before, and where it hangs', () => {
  const folder = temporaryFolder()
  // Whoever opens it waits for somebody who writes.
  execFileSync('mkfifo', ['--mode=600', join(folder, 'seal.key')])
  const args = ['--data', folder, '--profile', TRAINING, '--language=fr']
  const doctor = join(import.meta.dirname, 'doctor.ts')
  const { status, stdout } = spawnSync(process.execPath, [...process.execArgv, doctor, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  expect(status).toBe(2)
  expect(stdout).toMatch(/OK +Profil du magasin/)
  expect(stdout).toMatch(/Problème +Clé[^\n]*Aucune réponse de ce qui est lu ici/)
  expect(stdout).toMatch(/1 problème/)
})

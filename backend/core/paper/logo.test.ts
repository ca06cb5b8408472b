import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../http/testing.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import { loadLogo } from './images.ts'

const withLogo = (file: string) => ({ receipt: { ...trainingProfile().receipt, logo: { file } } })

test('a logo is optional; a logo file that is missing or not a PNG stops the start with its name', () => {
  const profileFile = join(temporaryFolder(), 'store.yaml')
  expect(loadLogo(trainingProfile(), profileFile)).toBeNull()
  expect(() => loadLogo(withLogo('logo.png'), profileFile)).toThrow(
    /receipt\.logo\.file: .*logo\.png: the file does not exist/,
  )
  writeFileSync(join(profileFile, '../logo.png'), 'not a picture')
  expect(() => loadLogo(withLogo('logo.png'), profileFile)).toThrow(/it is not a PNG file/)
})

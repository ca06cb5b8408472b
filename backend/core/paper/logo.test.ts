import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../http/testing.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import { loadLogo } from './images.ts'

const withLogo = (file: string) => ({ receipt: { ...trainingProfile().receipt, logo: { file } } })

test('a profile without a logo has none; a file that is missing or no PNG stops the start and says which', () => {
  const profileFile = join(temporaryFolder(), 'store.yaml')
  expect(loadLogo(trainingProfile(), profileFile)).toBeNull()
  expect(() => loadLogo(withLogo('logo.png'), profileFile)).toThrow(
    /receipt\.logo\.file: .*logo\.png: there is no such file/,
  )
  writeFileSync(join(profileFile, '../logo.png'), 'not a picture')
  expect(() => loadLogo(withLogo('logo.png'), profileFile)).toThrow(/it is not a PNG file/)
})

import { expect, test } from 'vitest'
import { isOwnAddress, isOwnFile } from './forward.ts'

test.each([
  ['app://milepost/manager/queue', true, false],
  ['blob:app://milepost/5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a11', false, true],
  ['blob:https://elsewhere.example/5e0d5fd2', false, false],
  ['blob:app://milepost.example/5e0d5fd2', false, false],
  ['app://milepost.example/', false, false],
  ['https://elsewhere.example/report.csv', false, false],
  ['blob:', false, false],
])(
  'the shell recognizes the addresses of its own pages and files: %s (a page: %s, a file: %s)',
  (address, page, file) => {
    expect([isOwnAddress(address), isOwnFile(address)]).toEqual([page, file])
  },
)

import { expect, it } from 'vitest'
import { fileSystemOf } from './file-system.ts'

const MOUNTS = [
  '/dev/vda / ext4 rw 0 0',
  'tmpfs /tmp tmpfs rw 0 0',
  '/dev/vdb /tmp/disk xfs rw 0 0',
  '/dev/vdc /tmp/disk btrfs rw 0 0',
  '',
].join('\n')

it.each([
  ['/home/lane', 'ext4'],
  ['/tmp/milepost-bench', 'tmpfs'],
  ['/tmpfiles', 'ext4'],
  ['/tmp/disk', 'btrfs'],
])(
  'a folder has the file system of its nearest mount point, or of the last one mounted there: %s is on %s',
  (folder, type) => {
    expect(fileSystemOf(folder, MOUNTS)).toBe(type)
  },
)

it('fileSystemOf returns unknown if the operating system has no list of mounts', () => {
  expect(fileSystemOf('/home/lane', '')).toBe('unknown')
})

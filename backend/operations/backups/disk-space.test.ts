import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../core/http/testing.ts'
import { diskSpace } from './backup.ts'

test('a disk is short, low or has enough space, depending on the free space and the database', ({ skip }) => {
  skip(process.getuid?.() !== 0 || process.platform !== 'linux', 'needs root on Linux, to mount a small disk')
  for (const [size, databaseMb, room] of [
    ['12m', 0, { freeMb: 12, neededMb: 64, state: 'short' }],
    ['48m', 0, { freeMb: 50, neededMb: 64, state: 'low' }],
    ['80m', 0, { freeMb: 83, neededMb: 64, state: 'enough' }],
    ['80m', 12, { freeMb: 71, neededMb: 88, state: 'low' }],
  ] as const) {
    const folder = temporaryFolder()
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])).toMatchObject({ status: 0 })
    onTestFinished(() => {
      spawnSync('umount', [folder])
    })
    writeFileSync(join(folder, 'terminal.db'), Buffer.alloc(databaseMb * 1_000_000))
    expect(diskSpace(folder, join(folder, 'terminal.db')), `${size} with ${databaseMb} MB`).toEqual(room)
  }
})

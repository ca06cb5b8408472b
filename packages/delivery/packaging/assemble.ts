import { constants } from 'node:fs'
import { appendFile, copyFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { hashOfFile } from './member.ts'
import type { Program } from './programs.ts'

export interface Assembled {
  /** Of the whole archive, as `sha256sum` says it. */
  readonly sha256: string
  readonly bytes: number
  /** It was there already, whole. */
  readonly kept: boolean
}

/** Where a package is on its way; whoever begins anew clears them away. */
export const UNFINISHED = /\.tar\.gz\.\d+\.new$/

/**
 * One package: the program as it was packed once, then what is the store's. Its hash goes on from where that of the
 * program ends. With `resume` one that is there and has that hash is kept.
 */
export async function assemble({ first }: Program, second: Buffer, file: string, resume: boolean): Promise<Assembled> {
  const sha256 = first.hash.copy().update(second).digest('hex')
  const bytes = first.bytes + second.byteLength
  const there = resume ? await stat(file).catch(() => null) : null
  if (there?.size === bytes && (await hashOfFile(file)) === sha256) return { sha256, bytes, kept: true }
  const staged = `${file}.${process.pid}.new`
  try {
    // Where the disk can, the copy shares its blocks.
    await copyFile(first.file, staged, constants.COPYFILE_FICLONE)
    await appendFile(staged, second)
    await rename(staged, file)
  } catch (error) {
    await rm(staged, { force: true })
    throw error
  }
  return { sha256, bytes, kept: false }
}

export const packageName = (store: string, { platform }: Pick<Program, 'platform'>): string =>
  `${store}-${platform.name}.tar.gz`

export const fileIn = (out: string, store: string, program: Pick<Program, 'platform'>): string =>
  path.join(out, packageName(store, program))

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryMb: number
  readonly os: string
  readonly node: string
  /**
   * Load average of the last minute. A value well above 0 before a run means that other processes use the machine and
   * affect the tail latency.
   */
  readonly loadBefore: number
}

/**
 * Reads the properties of the machine that affect measurements, without its host name. Must be called before the run.
 */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryMb: Math.round(totalmem() / 1024 / 1024),
    os: systemName(),
    node: process.versions.node,
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}

function systemName(): string {
  const kernel = `${type()} ${release()}`
  try {
    const name = /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
    return name === undefined ? kernel : `${name}, ${kernel}`
  } catch {
    return kernel
  }
}

export interface Revision {
  readonly commit: string | null
  /** True if files differ from the commit, so that the numbers cannot be reproduced. */
  readonly changed: boolean
}

/** Returns the revision of the sources in `folder`; changes of the history file are ignored. */
export function describeRevision(folder: string, history: string): Revision {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return {
      commit: git('rev-parse', 'HEAD'),
      changed: git('status', '--porcelain', '--', '.', `:(exclude)${history}`) !== '',
    }
  } catch {
    return { commit: null, changed: false }
  }
}

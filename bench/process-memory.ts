import { readFileSync } from 'node:fs'

export const memoryOf = (pid: number): number => megabytes(pid, 'status', 'VmRSS')

export const highestMemoryOf = (pid: number): number => megabytes(pid, 'status', 'VmHWM')

/** Proportional set size: memory shared by processes is divided among them. */
export const shareOf = (pid: number): number => megabytes(pid, 'smaps_rollup', 'Pss')

function megabytes(pid: number, file: 'status' | 'smaps_rollup', name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))
  if (found?.[1] === undefined) throw new Error(`the memory of process ${pid} cannot be read`)
  return Math.round(Number(found[1]) / 102.4) / 10
}

/** Least-squares slope of readings at equal intervals: the growth per reading. */
export function slopeOf(readings: readonly number[]): number {
  const middle = (readings.length - 1) / 2
  const mean = readings.reduce((sum, value) => sum + value, 0) / readings.length
  let [up, down] = [0, 0]
  readings.forEach((value, index) => {
    up += (index - middle) * (value - mean)
    down += (index - middle) ** 2
  })
  return down === 0 ? 0 : up / down
}

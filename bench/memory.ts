import { readFileSync } from 'node:fs'

/** Resident memory of a process in megabytes (Linux: /proc). */
export function memoryOf(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  if (found?.[1] === undefined) throw new Error(`the memory of process ${pid} cannot be read`)
  return Math.round(Number(found[1]) / 102.4) / 10
}

/** Least-squares slope of readings taken at even times, per reading. */
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

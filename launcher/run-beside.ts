import { spawn } from 'node:child_process'
import type { Program } from './program.ts'
import { programFile } from './program.ts'

/**
 * Runs a program of the backend to its end, with its input and output those of this one: what is typed there is in no
 * list of processes. Resolves with its exit code.
 */
export function runBeside(program: Program, script: string, args: readonly string[]): Promise<number> {
  const language = program.language === null ? [] : ['--language', program.language]
  const file = programFile(program, 'backend', script)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args, ...language], { stdio: 'inherit', windowsHide: true })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const RUN = fileURLToPath(new URL('run.mjs', import.meta.url))

function run(...args: string[]): { readonly code: number | null; readonly out: string; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, RUN, ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { code: status, out: stdout, said: stderr }
}

test('every command names a program that is there', () => {
  const programs = [...readFileSync(RUN, 'utf8').matchAll(/\['([\w/.-]+\.ts)', \[/g)].map(
    ([, program]) => program ?? '',
  )
  expect(programs.length).toBeGreaterThan(30)
  expect(programs.filter((program) => !existsSync(`${root}/${program}`))).toEqual([])
})

test('without a command it lists the commands and ends with 0', () => {
  const { code, out } = run('milepost')
  expect(code).toBe(0)
  expect(out).toContain('npm run milepost -- <command> [options]')
  expect(out).toMatch(/^ {2}store +the store server$/m)
})

test('refuses an unknown command with 2 and lists those that exist', () => {
  const { code, out, said } = run('lab', 'constructor')
  expect(code).toBe(2)
  expect(said).toContain('There is no command "constructor".')
  expect(out).toMatch(/^ {2}sim +/m)
})

test('passes the options to the command and its exit code back', () => {
  expect(run('lab', 'sim', '--help')).toMatchObject({ code: 0, out: expect.stringContaining('--seeds N') })
  expect(run('lab', 'sim', '--seeds', 'many').code).toBe(2)
})

test('refuses options of a command that has none, before it writes anything', () => {
  const { code, said } = run('lab', 'metrics-docs', '--bogus')
  expect(code).toBe(2)
  expect(said).toContain('It takes no options.')
  expect(run('lab', 'metrics-docs', '--help')).toMatchObject({ code: 0, said: '' })
})

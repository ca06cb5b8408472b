import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const RUN = fileURLToPath(new URL('run.mjs', import.meta.url))

function run(...args: string[]): { readonly code: number | null; readonly out: string; readonly errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, RUN, ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { code: status, out: stdout, errors: stderr }
}

test('every npm command has an existing program', () => {
  const programs = [...readFileSync(RUN, 'utf8').matchAll(/\['([\w/.-]+\.ts)', \[/g)].map(
    ([, program]) => program ?? '',
  )
  expect(programs.length).toBeGreaterThan(30)
  expect(programs.filter((program) => !existsSync(`${root}/${program}`))).toEqual([])
})

test('run.mjs without a CLI command lists them and exits with 0', () => {
  const { code, out } = run('milepost')
  expect(code).toBe(0)
  expect(out).toContain('npm run milepost -- <command> [options]')
  expect(out).toMatch(/^ {2}store +the store server$/m)
})

test('run.mjs rejects an unknown CLI command with exit code 2 and lists the existing ones', () => {
  const { code, out, errors } = run('lab', 'constructor')
  expect(code).toBe(2)
  expect(errors).toContain('Unknown command "constructor".')
  expect(out).toMatch(/^ {2}sim +/m)
})

test('run.mjs passes options to the CLI command and returns its exit code', () => {
  expect(run('lab', 'sim', '--help')).toMatchObject({ code: 0, out: expect.stringContaining('--seeds N') })
  expect(run('lab', 'sim', '--seeds', 'many').code).toBe(2)
})

test('each CLI command prints its help without running, under the name that starts it', () => {
  for (const name of ['access', 'hardware', 'licences', 'metrics', 'receipts'])
    expect(run('lab', name, '--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(`^npm run lab -- ${name}: `),
      errors: '',
    })
  for (const name of ['build', 'check', 'dev', 'screens', 'setup', 'test', 'test:campaigns', 'test:package'])
    expect(run('repo', name, '--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(`^npm run ${name}: `),
      errors: '',
    })
  expect(run('lab', 'crash', '--help').out).toMatch(/^npm run lab -- crash \[options\]/)
})

test('run.mjs rejects options for a CLI command without options before it writes any file', () => {
  const { code, errors } = run('lab', 'metrics-docs', '--bogus')
  expect(code).toBe(2)
  expect(errors).toContain('It takes no options.')
  expect(run('lab', 'metrics-docs', '--help')).toMatchObject({ code: 0, errors: '' })
})

import { execFileSync } from 'node:child_process'

/** Before the first scenario: the programs and the screens as a package holds them, made anew where they are stale. */
export default function build(): void {
  execFileSync(process.execPath, ['scripts/build.ts', '--stale'], { stdio: 'inherit' })
}

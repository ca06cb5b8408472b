import { createInterface } from 'node:readline'
import { ProfileCheckRequest } from '../../../contracts/core/profile-check.ts'
import { createProfileChecker } from './checker.ts'

/**
 * What the scripts ask of profiles (contracts/core/profile-check.ts): a request a line on standard input, its answer a
 * line on standard output. Ends with its input.
 */
const checker = createProfileChecker()
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(checker.answer(ProfileCheckRequest.parse(JSON.parse(line))))}\n`)

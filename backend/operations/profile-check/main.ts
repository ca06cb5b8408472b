import { createInterface } from 'node:readline'
import { ProfileCheckRequest } from '../../../contracts/core/profile-check.ts'
import { createProfileChecker } from './checker.ts'

/**
 * Answers profile requests of the scripts (contracts/core/profile-check.ts): one request per line on standard input,
 * one answer per line on standard output. The program ends with its input.
 */
const checker = createProfileChecker()
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(checker.answer(ProfileCheckRequest.parse(JSON.parse(line))))}\n`)

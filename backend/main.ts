import './heap-settings.ts'
import { runProgram } from './program.ts'

runProgram()

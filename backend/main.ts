import './core/program/engine-settings.ts'

// A dynamic import: the bundler would hoist a static one above these lines and run it first.
const { runProgram } = await import('./program.ts')

runProgram()

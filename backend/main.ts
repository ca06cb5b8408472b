import './core/program/engine-settings.ts'

// The import is dynamic: the bundler would hoist a static one above the lines before it and run it first.
const { runProgram } = await import('./program.ts')

runProgram()
